import { decode, type DecodeOptions } from "./codec.js";
import { isBefore, type Key } from "./keys.js";
import { decodeMessage } from "./message.js";
import { missing } from "./defaults.js";
import { arrayOf, loadSafe, numbers } from "./numbers.js";
import { onceEach } from "./once.js";
import { checkBody, pass, passOne } from "./pass.js";
import { type Numbers, Reader } from "./reader.js";
import { type Layout, layoutOfFields, type Place, type Step, stepsOf } from "./steps.js";
import {
  type AnyType, type ArrayType, type Field, kindOf, type ListType, type MapType, type MessageType, propertyOf, type StructType,
  type Type, type UnionType, type Unknown,
} from "./type.js";

/**
 * A window on the bytes of a T, which were looked at once: reading what it has fails no more. Fields
 * have the names and types of the T's, but that lists and maps are windows, too. Bytes and lists of
 * u8 are part of the bytes, and not copied. The bytes must stay as they are.
 */
export type View<T> = T extends Key | null | undefined | Numbers
  ? T
  : T extends ReadonlyMap<infer K, infer V>
    ? MapView<K, View<V>>
    : T extends ReadonlyArray<infer E>
      ? ListView<View<E>>
      : { readonly [K in keyof T as K extends "$unknown" ? never : K]-?: View<Exclude<T[K], undefined>> } & ("$unknown" extends keyof T
          ? { readonly $unknown: Uint8Array | undefined }
          : unknown);

/** A list or array in a view. */
export interface ListView<E> extends Iterable<E> {
  readonly length: number;
  /** The element of an index; undefined where there is none. Negative ones count from the end. */
  at(index: number): E | undefined;
}

/** A map in a view. Entries are in the order of the wire. */
export interface MapView<K, V> extends Iterable<[K, V]> {
  readonly size: number;
  /** The value of a key; undefined where there is none. */
  get(key: K): V | undefined;
}

/** A view of bytes that hold a value and nothing else, which are refused as by decoding. */
export function view<T>(type: Type<T>, bytes: Uint8Array, options?: DecodeOptions): View<T> {
  return decode(opener(type), type as Type, bytes, options) as View<T>;
}

/** A view of a message, which must be of the type. */
export function viewMessage<T>(type: Type<T> & { readonly id: number }, bytes: Uint8Array, options?: DecodeOptions): View<T> {
  return decodeMessage({ type: type as Type & { readonly id: number }, read: opener(type) }, bytes, options) as View<T>;
}

/** The value that a view is of, which shares no memory with its bytes. */
export function owned<T>(type: Type<T>, view: View<NoInfer<T>>): T {
  return ownedOf(type, view) as T;
}

/** The function that checks the bytes of a value, and makes its view. */
function opener(type: Type): (r: Reader) => unknown {
  return (r) => {
    const { at } = r;
    if (type.kind === "message") {
      checkBody(r, layoutOfFields(type).steps);
    } else {
      pass(r, stepsOf(type), false);
    }
    const source = new Reader(r.bytes, -1, r.at, unlimited);
    return type.kind === "message" ? new (classOf(type))(source, at, r.at) : valueAt(source, type, at);
  };
}

const unlimited = { messageBytes: Infinity, elements: Infinity, depth: Infinity, memoryBytes: Infinity };

/** Where bytes end that begin with a step. */
function endOf(r: Reader, step: Step, offset: number): number {
  r.at = offset;
  passOne(r, step, true);
  return r.at;
}

/** The value or view at a place. */
function valueAt(r: Reader, type: AnyType, offset: number): unknown {
  r.at = offset;
  switch (type.kind) {
    case "scalar":
      if (type.safe) {
        return loadSafe(r.view, offset, type.name);
      }
      return type.name === "bool" ? r.bool(offset) : type.name === "uuid" ? r.uuid(offset) : numbers[type.name].load(r.view, offset);
    case "enum":
      return numbers[type.base].load(r.view, offset);
    case "str":
      return r.text(type.width);
    case "bytes":
      return r.shared(r.prefix(type.width));
    case "list":
      return listAt(r, type, r.prefix(type.width));
    case "array":
      return listAt(r, type, type.count);
    case "optional":
      return r.present() ? valueAt(r, type.element, offset + 1) : null;
    case "map":
      return new Entries(r, type, r.prefix(type.width), r.at);
    case "struct":
      return new (classOf(type))(r, offset, r.end);
    case "message": {
      const n = r.prefix(4);
      return new (classOf(type))(r, offset + 4, offset + 4 + n);
    }
    case "union":
      return unionAt(r, type, offset);
  }
}

function listAt(r: Reader, type: ListType | ArrayType, n: number): unknown {
  const array = arrayOf(type.element);
  if (array === undefined) {
    return new Elements(r, type.element, n, r.at);
  }
  return array === Uint8Array ? r.shared(n) : r.fixed(array, n);
}

function unionAt(r: Reader, type: UnionType, offset: number): unknown {
  const tag = r.bytes[offset] as number;
  const known = type.alternatives().find((item) => item[1] === tag);
  if (known === undefined) {
    r.at = offset + 1;
    return { kind: "$unknown", tag, payload: r.shared(r.prefix(4)) } satisfies Unknown;
  }
  const kind = kindOf(known);
  return known[2] === undefined ? { kind } : { kind, value: valueAt(r, known[2], offset + (type.closed ? 1 : 5)) };
}

/** The positions of values one behind another, as far as they were asked for. */
class Positions {
  readonly r: Reader;
  readonly #starts: number[];
  constructor(r: Reader, offset: number) {
    this.r = r;
    this.#starts = [offset];
  }

  /** Where value k begins, of values whose step a function gives. */
  of(k: number, step: (k: number) => Step): number {
    const starts = this.#starts;
    for (let i = starts.length; i <= k; i++) {
      starts.push(endOf(this.r, step(i - 1), starts[i - 1] as number));
    }
    return starts[k] as number;
  }
}

class Elements implements ListView<unknown> {
  readonly length: number;
  readonly #element: AnyType;
  readonly #at: number;
  readonly #bytes: number | undefined;
  readonly #positions: Positions;
  readonly #step: () => Step;

  constructor(r: Reader, element: AnyType, length: number, offset: number) {
    this.length = length;
    this.#element = element;
    this.#at = offset;
    this.#positions = new Positions(r, offset);
    const step = stepsOf(element)[0] as Step;
    this.#bytes = step.op === "fixed" ? step.bytes : undefined;
    this.#step = (): Step => step;
  }

  at(index: number): unknown {
    const k = index < 0 ? index + this.length : index;
    if (!(k >= 0 && k < this.length)) {
      return undefined;
    }
    const bytes = this.#bytes;
    const at = bytes === undefined ? this.#positions.of(Math.trunc(k), this.#step) : this.#at + Math.trunc(k) * bytes;
    return valueAt(this.#positions.r, this.#element, at);
  }

  *[Symbol.iterator](): IterableIterator<unknown> {
    const { r } = this.#positions;
    let at = this.#at;
    for (let k = 0; k < this.length; k++) {
      const own = at;
      at = endOf(r, this.#step(), own);
      yield valueAt(r, this.#element, own);
    }
  }
}

class Entries implements MapView<Key, unknown> {
  readonly size: number;
  readonly #type: MapType;
  readonly #positions: Positions;

  constructor(r: Reader, type: MapType, size: number, offset: number) {
    this.size = size;
    this.#type = type;
    this.#positions = new Positions(r, offset);
  }

  /** Where part k begins: keys have even numbers, values odd ones. */
  #part(k: number): unknown {
    const type = (n: number): AnyType => (n % 2 === 0 ? this.#type.key : this.#type.value);
    const at = this.#positions.of(k, (n) => stepsOf(type(n))[0] as Step);
    return valueAt(this.#positions.r, type(k), at);
  }

  get(key: Key): unknown {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const own = this.#part(2 * middle) as Key;
      if (own === key) {
        return this.#part(2 * middle + 1);
      }
      if (isBefore(own, key)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return undefined;
  }

  *[Symbol.iterator](): IterableIterator<[Key, unknown]> {
    for (let k = 0; k < this.size; k++) {
      yield [this.#part(2 * k) as Key, this.#part(2 * k + 1)];
    }
  }
}

/** A struct or message in a view, whose class its type has. */
class RecordView {
  readonly #r: Reader;
  readonly #at: number;
  readonly #end: number;
  /** Where the passed steps begin; -1 for steps of missing segments. */
  readonly #starts: number[] = [];
  #lists: Map<number, unknown> | undefined;

  constructor(r: Reader, offset: number, end: number) {
    this.#r = r;
    this.#at = offset;
    this.#end = end;
  }

  /** Where a step begins. The unknown segments of a message begin behind its last step. */
  #start(steps: readonly Step[], k: number): number {
    const starts = this.#starts;
    for (let i = starts.length; i <= k; i++) {
      const before = steps[i - 1];
      const from = i === 0 ? this.#at : (starts[i - 1] as number);
      const at = before === undefined || from < 0 ? from : endOf(this.#r, before, from);
      const goesOn = steps[i]?.segment === (before?.segment ?? 1);
      starts.push(at === this.#end && !goesOn ? -1 : at);
    }
    return starts[k] as number;
  }

  /** The class of a type's views. */
  static of(type: StructType | MessageType): typeof RecordView {
    const layout = layoutOfFields(type);
    const made = class extends RecordView {};
    const getter = (name: string, get: (own: RecordView) => unknown): void => {
      Object.defineProperty(made.prototype, name, { enumerable: true, get(this: RecordView) { return get(this); } });
    };
    type.fields().forEach((field, i) => getter(propertyOf(field), (own) => own.#field(layout, field, i)));
    if (type.kind === "message" && type.keep) {
      getter("$unknown", (own) => own.#tail(layout));
    }
    return made;
  }

  #field(layout: Layout, field: Field, i: number): unknown {
    const place = layout.places[i] as Place;
    const made = this.#lists?.get(i);
    if (made !== undefined) {
      return made;
    }
    const at = this.#start(layout.steps, place.step);
    const value = at < 0 ? missing(field) : valueAt(this.#r, field[1], at + place.offset);
    if (value instanceof Elements || value instanceof Entries) {
      (this.#lists ??= new Map()).set(i, value); // it knows where its elements are
    }
    return value;
  }

  #tail(layout: Layout): Uint8Array | undefined {
    const at = this.#start(layout.steps, layout.steps.length);
    this.#r.at = at;
    return at < 0 ? undefined : this.#r.shared(this.#end - at);
  }
}

/** The class of a type's views. Its fields are getters. */
const classOf = /* @__PURE__ */ onceEach((type: StructType | MessageType) => RecordView.of(type));

/** A value without views in it. */
function ownedOf(type: AnyType, source: unknown): unknown {
  switch (type.kind) {
    case "scalar":
    case "enum":
    case "str":
      return source;
    case "bytes":
      return (source as Uint8Array).slice();
    case "list":
    case "array":
      return ArrayBuffer.isView(source) ? (source as Uint8Array).slice() : Array.from(source as Iterable<unknown>, (item) => ownedOf(type.element, item));
    case "optional":
      return source === null ? null : ownedOf(type.element, source);
    case "map":
      return new Map(Array.from(source as Iterable<[Key, unknown]>, ([key, value]) => [key, ownedOf(type.value, value)]));
    case "struct":
    case "message": {
      const fields = source as Readonly<Record<string, unknown>>;
      const value: Record<string, unknown> = {};
      for (const field of type.fields()) {
        value[propertyOf(field)] = ownedOf(field[1], fields[propertyOf(field)]);
      }
      const { $unknown } = fields;
      return $unknown === undefined ? value : { ...value, $unknown: ($unknown as Uint8Array).slice() };
    }
    case "union": {
      const { kind, ...rest } = source as { kind: string; value?: unknown; payload?: Uint8Array };
      if (rest.payload !== undefined) {
        return { kind, ...rest, payload: rest.payload.slice() };
      }
      const known = type.alternatives().find((item) => kindOf(item) === kind);
      return known?.[2] === undefined ? { kind } : { kind, value: ownedOf(known[2], rest.value) };
    }
  }
}
