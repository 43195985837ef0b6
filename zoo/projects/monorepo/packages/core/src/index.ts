export interface Order {
  /** The number of the order. */
  id: number;
  due: Date;
}

export const order = (id: number): Order => ({ id, due: new Date(0) });
