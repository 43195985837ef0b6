/** Wraps an author's function for errors: its own must not break the library that calls it. */
export function reporter(onError: ((error: unknown) => unknown) | undefined): (error: unknown) => void {
  return (error) => {
    try {
      const outcome = onError?.(error);
      if (outcome instanceof Promise) outcome.catch(() => {});
    } catch {
      // There is nobody to tell.
    }
  };
}
