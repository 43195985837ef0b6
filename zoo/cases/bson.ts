import { type Document, type Long, ObjectId, UUID } from "bson";
import { accepts, refused, refuses, returns } from "../expect.ts";

interface Article {
  _id: ObjectId;
  title: string;
  views: number;
  published: Date;
  parents?: ObjectId[];
}

/** Shows an article. */
export async function show(id: string): Promise<Article | null> {
  throw new Error(id);
}
accepts(show, ["65a000000000000000000000"]);
refuses(show, [5]);
returns(show, null, {
  _id: new ObjectId("65a000000000000000000000"),
  title: "A",
  views: 1,
  published: new Date(0),
  parents: [new ObjectId("65a000000000000000000001")],
});

/** Adds an article. */
export function add(article: Omit<Article, "_id" | "parents">): ObjectId {
  throw new Error(article.title);
}
accepts(add, [{ title: "A", views: 1, published: new Date(0) }]);
refuses(add, [{ title: "A", views: 1 }], [{ title: "A", views: 1, published: new Date(0), _id: "5" }]);
returns(add, new ObjectId("65a000000000000000000000"));

/** Removes an article. */
export function remove(id: ObjectId): void {
  throw new Error(id.toHexString());
}
refused(remove, "PF1105");

/** Runs a query. */
export function query(filter: Document): Document[] {
  return [filter];
}
accepts(query, [{}], [{ a: { $gt: 5 } }]);
refuses(query, ["a"]);
returns(query, [{ a: { b: [1] } }], [{ at: new Date(0), n: 5n }]);

/** Shows a key. */
export function key(name: string): { id: UUID; revision: number } {
  throw new Error(name);
}
returns(key, { id: new UUID("00000000-0000-4000-8000-000000000000"), revision: 1 });

/** Counts. */
export function count(of: string): Long {
  throw new Error(of);
}
refused(count, "PF1105");
