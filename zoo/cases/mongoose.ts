import mongoose, { type HydratedDocument, type InferSchemaType, Schema, type Types } from "mongoose";
import { accepts, gives, refuses } from "../expect.ts";

const bookSchema = new Schema({
  title: { type: String, required: true },
  pages: { type: Number, min: 1 },
  tags: { type: [String], required: true },
  published: { type: Date, required: true },
  author: { type: { name: { type: String, required: true } }, required: true, _id: false },
});
type Book = InferSchemaType<typeof bookSchema>;
const Books = mongoose.model<Book>("Book", bookSchema);
const id = "65a000000000000000000000";
const make = (title: string) =>
  Books.hydrate({ _id: id, title, tags: ["x"], published: new Date(0), author: { name: "A" }, __v: 0 });

/** Shows a book as a document. */
export async function find(title: string): Promise<HydratedDocument<Book>> {
  return make(title);
}
gives(find, ["A"], {
  _id: "65a000000000000000000000",
  title: "A",
  tags: ["x"],
  published: "1970-01-01T00:00:00.000Z",
  author: { name: "A" },
  __v: 0,
});

/** Shows a book as an object. */
export function plain(title: string): Book & { _id: Types.ObjectId; __v: number } {
  return make(title).toObject();
}
gives(plain, ["A"], {
  _id: "65a000000000000000000000",
  title: "A",
  tags: ["x"],
  published: "1970-01-01T00:00:00.000Z",
  author: { name: "A" },
  __v: 0,
});

/** Shows all books. */
export async function list(titles: string[]): Promise<{ books: HydratedDocument<Book>[]; total: number }> {
  return { books: titles.map(make), total: titles.length };
}
gives(list, [["A"]], {
  books: [
    {
      _id: "65a000000000000000000000",
      title: "A",
      tags: ["x"],
      published: "1970-01-01T00:00:00.000Z",
      author: { name: "A" },
      __v: 0,
    },
  ],
  total: 1,
});

/** Checks a book. */
export function check(book: Partial<Book>): mongoose.Error.ValidationError | null {
  return new Books(book).validateSync() ?? null;
}
accepts(check, [{ title: "A", pages: 5 }], [{}]);
gives(check, [{ title: "A", pages: 0, tags: [], published: new Date(0), author: { name: "A" } }], {
  name: "ValidationError",
  message: "Book validation failed: pages: Path `pages` (0) is less than minimum allowed value (1).",
});
refuses(check, [{ pages: "5" }]);
