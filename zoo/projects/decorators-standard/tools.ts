const calls: string[] = [];
function logged<A extends unknown[], R>(run: (...args: A) => R, { name }: ClassMethodDecoratorContext) {
  return function (this: unknown, ...args: A): R {
    calls.push(String(name));
    return run.apply(this, args);
  };
}

class Shop {
  accessor open = true;

  /** Orders. */
  @logged
  order(id: number): { id: number; calls: string[] } {
    return { id, calls };
  }
}

export const shop = new Shop();
