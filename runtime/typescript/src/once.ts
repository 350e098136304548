/** What a function makes, made when it is first asked for: types may lead back to themselves. */
export function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** What a function makes of each object, made when it is first asked for. */
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
