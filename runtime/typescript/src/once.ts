/** The result of a function, made at the first use: types may lead back to themselves. */
export function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** The result of a function for each object, made at the first use. */
export function onceEach<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, V>();
  return (key) => {
    let own = made.get(key);
    if (own === undefined) {
      own = make(key);
      made.set(key, own);
    }
    return own;
  };
}
