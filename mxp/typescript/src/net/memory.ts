import { serverBytesPart } from "../session/spec_gen.js";

let machine: number | undefined;

/** The bytes that connections may take together where nothing is said: a part of the machine's, or of the control group's, as they were said to be, or as a page is told. */
export function budgetBytes(): number {
  const gib = (globalThis as { navigator?: { deviceMemory?: unknown } }).navigator?.deviceMemory;
  return (machine ?? (typeof gib === "number" ? gib : 4) * 2 ** 30) / serverBytesPart;
}

/** Says how much memory there is, where it can be known. */
export function setMachineBytes(bytes: number): void {
  machine = bytes;
}
