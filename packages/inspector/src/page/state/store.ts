/** A value that components subscribe to. Several changes in one frame are one drawing. */
export interface Store<Value> {
  get(): Value;
  set(change: (value: Value) => Value): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<Value>(initial: Value, schedule: (draw: () => void) => void): Store<Value> {
  const listeners = new Set<() => void>();
  let value = initial;
  let scheduled = false;
  return {
    get: () => value,
    set(change) {
      const next = change(value);
      if (Object.is(next, value)) return;
      value = next;
      if (scheduled) return;
      scheduled = true;
      schedule(() => {
        scheduled = false;
        for (const listener of listeners) listener();
      });
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
