/** A promise that a test resolves. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export function openGate(): Gate {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
