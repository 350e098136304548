// Descriptors: what a type is on the wire and in JSON, as data. Generated code has one for each type,
// from which everything is derived that need not be fast.

import { once } from "./once.js";
import { type BaseName, type ScalarName, scalarBytes } from "./spec_gen.js";

export type { BaseName, ScalarName };

/** The bytes of a length or count. */
export type Width = 1 | 2 | 4;

export interface ScalarType {
  readonly kind: "scalar";
  readonly name: ScalarName;
  /** Whether an integer of 64 bits is a number, which is exact up to 2^53-1 in size. */
  readonly safe: boolean;
}

/** A str or bytes. */
export interface TextType {
  readonly kind: "str" | "bytes";
  readonly width: Width;
  /** The bound of `@max`, in bytes. */
  readonly max: number | undefined;
}

export interface ListType {
  readonly kind: "list";
  readonly width: Width;
  /** The bound of `@max`, in elements. */
  readonly max: number | undefined;
  /** The least that an element takes [WIRE-13.1]. */
  readonly least: number;
  readonly element: AnyType;
}

export interface ArrayType {
  readonly kind: "array";
  readonly count: number;
  readonly element: AnyType;
}

export interface OptionalType {
  readonly kind: "optional";
  readonly element: AnyType;
}

export interface MapType {
  readonly kind: "map";
  readonly width: Width;
  readonly max: number | undefined;
  /** The least that an entry takes. */
  readonly least: number;
  readonly key: AnyType;
  readonly value: AnyType;
}

export interface EnumType {
  readonly kind: "enum";
  /** The package and the name, joined by a dot. */
  readonly name: string;
  readonly base: BaseName;
  readonly closed: boolean;
  readonly members: readonly Member[];
}

/** The name, the number, and the name in JSON where that is another. */
export type Member = readonly [name: string, number: number | bigint, json?: string];

/** A field: its name, its type, and its options. */
export type Field = readonly [name: string, type: AnyType, more?: FieldOptions];

export interface FieldOptions {
  /** The name of the property, where that is not the field's. */
  readonly property?: string;
  /** The name of the member in JSON, where that is not the field's. */
  readonly json?: string;
  /** The segment of a message that the field is in, where that is not the first. */
  readonly since?: number;
  /** The value of a field that is missing, where that is not zero, empty or absent. */
  readonly missing?: unknown;
}

interface DeclaredType<T> {
  readonly name: string;
  readonly id: number | undefined;
  /** Tells the compiler, and nobody else, what values a descriptor is of. */
  readonly value$?: T;
}

/** A struct, or the fields of an alternative. Its values are of type T. */
export interface StructType<T = unknown> extends DeclaredType<T> {
  readonly kind: "struct";
  /** The fields in wire order; a function, since types may lead back to themselves. */
  readonly fields: () => readonly Field[];
}

/** A message. Its values are of type T. */
export interface MessageType<T = unknown> extends DeclaredType<T> {
  readonly kind: "message";
  /** Whether bytes of segments that are not known are kept. */
  readonly keep: boolean;
  readonly fields: () => readonly Field[];
}

/** The name, the tag, the payload's type if there is one, and options. */
export type Alternative = readonly [name: string, tag: number, type?: AnyType | undefined, more?: AlternativeOptions];

export interface AlternativeOptions {
  /** The `kind` of a value that has the alternative, where that is not its name. */
  readonly kind?: string;
  /** The name of the member in JSON, where that is not the alternative's. */
  readonly json?: string;
}

/** A union. Its values are of type T. */
export interface UnionType<T = unknown> extends DeclaredType<T> {
  readonly kind: "union";
  readonly closed: boolean;
  readonly alternatives: () => readonly Alternative[];
}

/** A type that bytes are of: a struct, message or union. */
export type Type<T = unknown> = StructType<T> | MessageType<T> | UnionType<T>;

/** Any type of a schema. */
export type AnyType =
  | ScalarType | TextType | ListType | ArrayType | OptionalType | MapType | EnumType
  | StructType | MessageType | UnionType;

/** An unknown alternative, in a value of an open union. */
export interface Unknown {
  readonly kind: "$unknown";
  tag: number;
  payload: Uint8Array;
}

const scalar = (name: ScalarName, safe = false): ScalarType => ({ kind: "scalar", name, safe });

export const bool: ScalarType = /* @__PURE__ */ scalar("bool");
export const u8: ScalarType = /* @__PURE__ */ scalar("u8");
export const u16: ScalarType = /* @__PURE__ */ scalar("u16");
export const u32: ScalarType = /* @__PURE__ */ scalar("u32");
export const u64: ScalarType = /* @__PURE__ */ scalar("u64");
export const i8: ScalarType = /* @__PURE__ */ scalar("i8");
export const i16: ScalarType = /* @__PURE__ */ scalar("i16");
export const i32: ScalarType = /* @__PURE__ */ scalar("i32");
export const i64: ScalarType = /* @__PURE__ */ scalar("i64");
export const f32: ScalarType = /* @__PURE__ */ scalar("f32");
export const f64: ScalarType = /* @__PURE__ */ scalar("f64");
export const timestamp: ScalarType = /* @__PURE__ */ scalar("timestamp");
export const duration: ScalarType = /* @__PURE__ */ scalar("duration");
export const safeU64: ScalarType = /* @__PURE__ */ scalar("u64", true);
export const safeI64: ScalarType = /* @__PURE__ */ scalar("i64", true);
export const uuid: ScalarType = /* @__PURE__ */ scalar("uuid");

export function str(width: Width, max?: number): TextType {
  return { kind: "str", width, max };
}

export function bytes(width: Width, max?: number): TextType {
  return { kind: "bytes", width, max };
}

export function list(element: AnyType, least: number, width: Width, max?: number): ListType {
  return { kind: "list", width, max, least, element };
}

export function array(element: AnyType, count: number): ArrayType {
  return { kind: "array", count, element };
}

export function optional(element: AnyType): OptionalType {
  return { kind: "optional", element };
}

export function map(key: AnyType, value: AnyType, least: number, width: Width, max?: number): MapType {
  return { kind: "map", width, max, least, key, value };
}

export function enumeration(name: string, base: BaseName, members: readonly Member[]): EnumType {
  return { kind: "enum", name, base, closed: false, members };
}

export function closedEnum(name: string, base: BaseName, members: readonly Member[]): EnumType {
  return { kind: "enum", name, base, closed: true, members };
}

export function struct<T, I extends number | undefined = undefined>(
  name: string, fields: () => readonly Field[], id?: I,
): StructType<T> & { readonly id: I } {
  return { kind: "struct", name, id: id as I, fields: once(fields) };
}

export function message<T, I extends number | undefined = undefined>(
  name: string, fields: () => readonly Field[], id?: I,
): MessageType<T> & { readonly id: I } {
  return { kind: "message", name, id: id as I, keep: false, fields: once(fields) };
}

export function keeping<T, I extends number | undefined = undefined>(
  name: string, fields: () => readonly Field[], id?: I,
): MessageType<T> & { readonly id: I } {
  return { kind: "message", name, id: id as I, keep: true, fields: once(fields) };
}

export function union<T, I extends number | undefined = undefined>(
  name: string, alternatives: () => readonly Alternative[], id?: I,
): UnionType<T> & { readonly id: I } {
  return { kind: "union", name, id: id as I, closed: false, alternatives: once(alternatives) };
}

export function closedUnion<T, I extends number | undefined = undefined>(
  name: string, alternatives: () => readonly Alternative[], id?: I,
): UnionType<T> & { readonly id: I } {
  return { kind: "union", name, id: id as I, closed: true, alternatives: once(alternatives) };
}

/** The name of a field's property. */
export function propertyOf(field: Field): string {
  return field[2]?.property ?? field[0];
}

/** The segment that a field is in. */
export function segmentOf(field: Field): number {
  return field[2]?.since ?? 1;
}

/** Whether the values of an integer are bigints. */
export function isWide(name: ScalarName): boolean {
  return scalarBytes[name] === 8 && name !== "f64";
}

/** The `kind` of a value that has an alternative. */
export function kindOf(alternative: Alternative): string {
  return alternative[3]?.kind ?? alternative[0];
}

/** Identifies a layout: each segment of it, and those up to and with each [EVO-6]. */
export interface Fingerprints {
  readonly segments: readonly bigint[];
  readonly cumulative: readonly bigint[];
}
