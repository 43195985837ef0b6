import {
  Binary,
  BSON,
  Decimal128,
  type Filter,
  Long,
  type MongoError,
  MongoServerError,
  ObjectId,
  type Sort,
  type WithId,
} from "mongodb";
import { accepts, gives, refuses } from "../expect.ts";

interface Order {
  customer: string;
  total: Decimal128;
  paid?: Date | null;
  key: Binary;
}

const read = (id: string): WithId<Order> =>
  BSON.deserialize(
    BSON.serialize({
      _id: new ObjectId(id),
      customer: "A",
      total: Decimal128.fromString("12.50"),
      paid: null,
      key: new Binary(new Uint8Array([1, 2])),
    }),
    { promoteBuffers: false },
  ) as WithId<Order>;

/** Shows an order. */
export async function order(id: string): Promise<WithId<Order> | null> {
  return read(id);
}
gives(order, ["65a000000000000000000000"], {
  _id: "65a000000000000000000000",
  customer: "A",
  total: { $numberDecimal: "12.50" },
  paid: null,
  key: "AQI=",
});

/** Sums orders. */
export function sum(amounts: string[]): { sum: bigint; ids: ObjectId[] } {
  const sum = amounts.map((each) => Long.fromString(each)).reduce((a, b) => a.add(b));
  return { sum: sum.toBigInt(), ids: [ObjectId.createFromHexString("65a000000000000000000001")] };
}
gives(sum, [["1", "2"]], { sum: "3", ids: ["65a000000000000000000001"] });

/** Explains why an order is not saved. */
export function explain(code: number): { error: MongoError; cause: unknown } {
  const error = new MongoServerError({ message: "E11000 duplicate key", code, keyValue: { token: "SECRET" } });
  return { error, cause: error };
}
gives(explain, [11000], {
  error: { name: "MongoServerError", message: "E11000 duplicate key" },
  cause: { name: "MongoServerError", message: "E11000 duplicate key" },
});

/** Sorts orders. */
export function sorted(
  sort: Extract<Sort, Record<string, unknown>>,
  filter?: Filter<{ name: string; age: number }>,
): string {
  return Object.keys(sort).join() + Object.keys(filter ?? {}).join();
}
accepts(sorted, [{ name: 1 }, { age: { $gt: 5 }, $or: [{ name: "A" }] }], [{ name: "asc" }]);
refuses(sorted, [{ name: "up" }], [{ name: 1 }, { age: { $gt: "5" } }]);
