import { useEffect, useState } from "preact/hooks";
import type { Store } from "../state/store.ts";

export function useStore<Value>(store: Store<Value>): Value {
  const [value, setValue] = useState(store.get);
  useEffect(() => {
    const draw = () => setValue(store.get);
    draw();
    return store.subscribe(draw);
  }, [store]);
  return value;
}
