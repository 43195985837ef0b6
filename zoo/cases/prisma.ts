import { Decimal } from "@prisma/client/runtime/client";
import { accepts, cannotReturn, refuses, returns } from "../expect.ts";
import type { Post, Prisma, User } from "./generated/client.ts";

/** Shows a user. */
export async function showUser(id: number): Promise<User | null> {
  throw new Error(String(id));
}
accepts(showUser, [1]);
refuses(showUser, ["1"]);
returns(showUser, null, {
  id: 1,
  email: "a@example.org",
  name: null,
  role: "ADMIN",
  settings: { theme: ["dark", 1, null, { deep: true }] },
  balance: new Decimal("1.50"),
  visits: 2n ** 60n,
  avatar: new Uint8Array([1, 2]),
  createdAt: new Date(0),
});

/** Lists posts. */
export async function listPosts(where: Prisma.PostWhereInput): Promise<Post[]> {
  throw new Error(String(where.id));
}
accepts(listPosts, [{}], [{ id: "p" }], [{ title: { contains: "A" } }]);
refuses(listPosts, [{ id: 5 }], [{ title: { has: "A" } }]);

/** Finds users by name or role. */
export function findUsers(
  where: Pick<Prisma.UserWhereInput, "email" | "name" | "role">,
  orderBy: Pick<Prisma.UserOrderByWithRelationInput, "id" | "name">,
): Pick<User, "id" | "settings">[] {
  throw new Error(String(where.email) + orderBy.id);
}
accepts(
  findUsers,
  [{}, {}],
  [{ email: { contains: "@", mode: "insensitive" }, name: null, role: { in: ["ADMIN"] } }, { id: "asc" }],
  [{ name: { not: { startsWith: "a" } } }, { name: { sort: "desc", nulls: "last" } }],
);
refuses(
  findUsers,
  [{ email: null }, {}],
  [{ role: "OWNER" }, {}],
  [{}, { id: "up" }],
  [{ email: { contains: 5 } }, {}],
);
returns(findUsers, [
  { id: 1, settings: null },
  { id: 2, settings: [1, [2, [3]]] },
]);

/** Creates a post. */
export async function createPost(data: Prisma.PostUncheckedCreateInput): Promise<Post> {
  throw new Error(data.title);
}
accepts(
  createPost,
  [{ title: "A", authorId: 1 }],
  [{ id: "p", title: "A", authorId: 1, tags: ["x"] }],
  [{ title: "A", authorId: 1, tags: { set: ["x"] } }],
);
refuses(createPost, [{ title: "A" }], [{ title: 5, authorId: 1 }], [{ title: "A", authorId: 1, tags: "x" }]);
returns(createPost, { id: "p", title: "A", tags: [], authorId: 1 });
cannotReturn(createPost, { id: "p", title: "A", tags: "", authorId: 1 });

/** Creates a user. */
export function createUser(data: Prisma.UserCreateInput): void {
  throw new Error(data.email);
}
accepts(createUser, [{ email: "a@b.c", settings: {}, balance: "1.5", visits: 5 }]);
refuses(createUser, [{}], [{ email: 5 }]);

/** Shows a post with its author. */
export function withAuthor(
  id: string,
): Prisma.PostGetPayload<{ include: { author: { select: { email: true; role: true } } } }> {
  throw new Error(id);
}
returns(withAuthor, { id: "p", title: "A", tags: ["x"], authorId: 1, author: { email: "a", role: "MEMBER" } });
cannotReturn(withAuthor, { id: "p", title: "A", tags: ["x"], authorId: 1, author: { email: "a", role: "OWNER" } });

/** Counts users by role. */
export async function roles(by: Prisma.UserScalarFieldEnum[]): Promise<Partial<Record<User["role"], number>>> {
  throw new Error(by.join());
}
accepts(roles, [["role", "email"]]);
refuses(roles, [["roles"]]);
returns(roles, { ADMIN: 5 }, {});

/** Stores settings. */
export function settings(value: Prisma.JsonObject): Prisma.JsonValue {
  return value;
}
accepts(settings, [{ a: [1, { b: null }] }]);
refuses(settings, [[1]], ["a"]);
returns(settings, null, [1, { a: true }]);
