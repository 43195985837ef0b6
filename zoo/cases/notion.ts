import type {
  BlockObjectRequest,
  CreatePageParameters,
  QueryDataSourceParameters,
  RichTextItemResponse,
  UserObjectResponse,
} from "@notionhq/client";
import { APIResponseError, Client } from "@notionhq/client";
import { accepts, cannotReturn, gives, refuses, returns } from "../expect.ts";

/** Queries a data source. */
export async function query(params: QueryDataSourceParameters): Promise<{ id: string }[]> {
  throw new Error(params.data_source_id);
}
accepts(
  query,
  [{ data_source_id: "d" }],
  [{ data_source_id: "d", filter: { property: "Done", checkbox: { equals: true } }, page_size: 5 }],
  [
    {
      data_source_id: "d",
      filter: {
        and: [{ property: "Name", title: { contains: "x" } }, { or: [{ property: "N", number: { equals: 5 } }] }],
      },
      sorts: [{ property: "Name", direction: "ascending" }],
    },
  ],
);
refuses(
  query,
  [{}],
  [{ data_source_id: "d", sorts: [{ property: "Name", direction: "up" }] }],
  [{ data_source_id: "d", page_size: "5" }],
);
returns(query, [], [{ id: "p" }]);

/** Creates a page. */
export async function createPage(params: CreatePageParameters): Promise<string> {
  throw new Error(String(params));
}
accepts(
  createPage,
  [{ parent: { page_id: "p" }, properties: { title: { title: [{ text: { content: "Hi" } }] } } }],
  [{ parent: { data_source_id: "d" }, properties: { Done: { checkbox: true } }, icon: { emoji: "😀" } }],
);
refuses(
  createPage,
  [{ parent: { page_id: 5 } }],
  [{ parent: { page_id: "p" }, properties: { Done: { checkbox: "yes" } } }],
);

/** Appends blocks. */
export function append(children: BlockObjectRequest[]): void {
  throw new Error(String(children.length));
}
accepts(
  append,
  [[{ paragraph: { rich_text: [{ text: { content: "Hi" } }] } }]],
  [[{ type: "to_do", to_do: { rich_text: [], checked: true } }, { divider: {} }]],
);
refuses(append, [[{ paragraph: {} }]], [[{ type: "to_do", paragraph: { rich_text: [] } }]], [[{ nothing: {} }]]);

/** Reads text. */
export function read(id: string): RichTextItemResponse[] {
  throw new Error(id);
}
returns(read, [
  {
    type: "text",
    text: { content: "Hi", link: null },
    plain_text: "Hi",
    href: null,
    annotations: { bold: true, italic: false, strikethrough: false, underline: false, code: false, color: "default" },
  },
]);
cannotReturn(read, [{ type: "text" }]);

/** Lists users. */
export function users(): UserObjectResponse[] {
  throw new Error("sample");
}
returns(users, [
  { object: "user", id: "u", type: "person", person: { email: "a@example.org" }, name: null, avatar_url: null },
]);
cannotReturn(users, [{ object: "group", id: "u" }]);

const client = (body: unknown, status: number): Client =>
  new Client({
    auth: "SECRET",
    retry: false,
    logger: () => {},
    fetch: async () => Response.json(body, { status }),
  } as never);

/** Shows a recorded user. */
export async function user(id: string): Promise<UserObjectResponse> {
  return client({ object: "user", id, type: "person", name: "A", avatar_url: null, person: {} }, 200).users.retrieve({
    user_id: id,
  });
}
gives(user, ["u1"], { object: "user", id: "u1", type: "person", name: "A", avatar_url: null, person: {} });

/** Explains why a request failed. */
export async function explain(id: string): Promise<APIResponseError | undefined> {
  const answer = client({ object: "error", status: 400, code: "validation_error", message: "no" }, 400).users.retrieve({
    user_id: id,
  });
  return answer.then(
    () => undefined,
    (error) => (error instanceof APIResponseError ? error : undefined),
  );
}
gives(explain, ["u1"], { name: "APIResponseError", message: "no" });
