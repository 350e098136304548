/** What a function makes, made when it is first asked for: types may lead back to themselves. */
export function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
