import * as sdp from "../../control/sdp/index.js";

/** How a field of a message is read and written; the message has its type. */
export interface Field<T> {
  readonly type: sdp.AnyType;
  readonly read: (r: sdp.Reader) => T;
  readonly write: (w: sdp.Writer, value: T) => void;
}

/** A message of fields without defaults, in their order. */
export interface Message<T> extends Field<T> {
  readonly type: sdp.MessageType<T>;
  readonly codec: sdp.Codec<T>;
}

export const text1: Field<string> = { type: sdp.str(1), read: (r) => r.text(1), write: (w, value) => w.text(1, value) };
export const text4: Field<string> = { type: sdp.str(4), read: (r) => r.text(4), write: (w, value) => w.text(4, value) };
export const bool: Field<boolean> = { type: sdp.bool, read: (r) => r.bool(r.take(1)), write: (w, value) => w.bool(w.room(1), value) };
export const u16: Field<number> = { type: sdp.u16, read: (r) => r.view.getUint16(r.take(2), true), write: (w, value) => w.u16(w.room(2), value) };
export const prints: Field<BigUint64Array> = {
  type: sdp.list(sdp.u64, 8, 1),
  read: (r) => r.numbers(BigUint64Array, 1, undefined),
  write: (w, value) => w.numbers(BigUint64Array, 1, value),
};

/** An open enum of 8 bits. */
export function enumeration(name: string, members: readonly (readonly [string, number])[]): Field<number> {
  return { type: sdp.enumeration(name, "u8", members), read: (r) => r.view.getUint8(r.take(1)), write: (w, value) => w.u8(w.room(1), value) };
}

/** Texts with a count of 32 bits. */
export const texts: Field<string[]> = {
  type: sdp.list(sdp.str(1), 1, 4),
  read: (r) => Array.from({ length: r.count(4, 1, 8) }, () => r.text(1)),
  write: (w, values) => {
    w.list(4, values);
    for (const value of values) {
      w.text(1, value);
    }
  },
};

/** A message within another. */
function within<T>(r: sdp.Reader, of: Message<T>): T {
  const outer = r.window();
  const value = of.read(r);
  r.close(outer);
  return value;
}

function put<T>(w: sdp.Writer, of: Message<T>, value: T): void {
  const open = w.open();
  of.write(w, value);
  w.close(open);
}

export function nested<T>(of: Message<T>): Field<T> {
  return { type: of.type, read: (r) => within(r, of), write: (w, value) => put(w, of, value) };
}

export function optional<T>(of: Message<T>): Field<T | null> {
  return {
    type: sdp.optional(of.type),
    read: (r) => (r.present() ? within(r, of) : null),
    write: (w, value) => {
      if (w.present(value)) {
        put(w, of, value);
      }
    },
  };
}

/** Messages with a count of 32 bits, each of which has so many bytes at least. */
export function messages<T>(of: Message<T>, least: number): Field<T[]> {
  return {
    type: sdp.list(of.type, least, 4),
    read: (r) => Array.from({ length: r.count(4, least, 8) }, () => within(r, of)),
    write: (w, values) => {
      w.list(4, values);
      for (const value of values) {
        put(w, of, value);
      }
    },
  };
}

/** A message by its fields. The cost is what the schema's compiler counts for it in memory, the fingerprint that of its layout. */
export function message<T extends object>(name: string, cost: number, fingerprint: bigint, fields: { readonly [K in keyof T]: Field<T[K]> }): Message<T> {
  const all = Object.entries(fields) as [string, Field<unknown>][];
  const type = sdp.message<T>(name, () => all.map(([field, { type: of }]) => [field, of] as const) as never);
  const read = (r: sdp.Reader): T => {
    r.enter(cost);
    const value = Object.fromEntries(all.map(([field, of]) => [field, of.read(r)]));
    r.skip();
    r.leave();
    return value as T;
  };
  const write = (w: sdp.Writer, value: T): void => {
    w.enter();
    for (const [field, of] of all) {
      of.write(w, (value as Record<string, unknown>)[field]);
    }
    w.leave();
  };
  const print = { segments: [fingerprint], cumulative: [fingerprint] };
  return { type, read, write, codec: sdp.codec(type, print, (value) => sdp.encode(write, type, value), (bytes) => sdp.decode(read, type, bytes)) };
}
