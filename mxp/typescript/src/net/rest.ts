/** The used globals of the page or worker that a client is in. Node has none of them. */
interface Around {
  readonly document?: EventTarget & { readonly visibilityState?: string };
  readonly navigator?: { readonly onLine?: boolean };
  addEventListener?(event: string, call: () => void): void;
  removeEventListener?(event: string, call: () => void): void;
}

const around = globalThis as unknown as Around;

/** Whether nobody sees the page, or it has no network. */
export function rests(): boolean {
  return around.document?.visibilityState === "hidden" || around.navigator?.onLine === false;
}

/** Calls a function whenever that may have changed. The returned function takes that back. */
export function onRest(call: () => void): () => void {
  const { document } = around;
  document?.addEventListener("visibilitychange", call);
  around.addEventListener?.("online", call);
  around.addEventListener?.("offline", call);
  return () => {
    document?.removeEventListener("visibilitychange", call);
    around.removeEventListener?.("online", call);
    around.removeEventListener?.("offline", call);
  };
}
