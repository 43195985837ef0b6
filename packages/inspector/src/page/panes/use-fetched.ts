import { useEffect, useState } from "preact/hooks";

/** The last answer to a request that is made again whenever one of the keys changes. */
export function useFetched<Value>(load: () => Promise<Value>, keys: readonly unknown[]): Value | Error | undefined {
  const [found, setFound] = useState<Value | Error>();
  useEffect(() => {
    let isCurrent = true;
    const keep = (value: Value | Error) => isCurrent && setFound(() => value);
    load().then(keep, keep);
    return () => {
      isCurrent = false;
    };
  }, keys);
  return found;
}
