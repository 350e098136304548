export const nothing: Uint8Array = new Uint8Array(0);

/** A value that does not keep a much larger buffer in memory. */
export function own(value: Uint8Array): Uint8Array {
  return value.buffer.byteLength > 2 * value.length + 1024 ? value.slice() : value;
}

/** A request whose value does not keep a much larger buffer in memory. */
export function compact<T extends { readonly value: Uint8Array }>(request: T): T {
  const value = own(request.value);
  return value === request.value ? request : { ...request, value };
}

/** Bytes behind others. */
export function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (b.length === 0) {
    return a;
  }
  const all = new Uint8Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}
