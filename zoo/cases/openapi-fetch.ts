import createClient, { type FetchResponse } from "openapi-fetch";
import { gives, refuses } from "../expect.ts";

/** The types that openapi-typescript generates. */
interface paths {
  "/pets/{id}": {
    get: {
      parameters: { path: { id: number }; query?: { deep?: boolean } };
      responses: {
        200: { content: { "application/json": components["schemas"]["Pet"] } };
        404: { content: { "application/json": components["schemas"]["Problem"] } };
      };
    };
  };
}
interface components {
  schemas: {
    Pet: { id: number; name: string; tags?: string[]; owner: { name: string } | null };
    Problem: { title: string; detail?: string };
  };
}

const client = (body: unknown, status: number) =>
  createClient<paths>({ baseUrl: "https://pets.example.org", fetch: async () => Response.json(body, { status }) });

/** Shows a pet. */
export async function pet(id: number): Promise<components["schemas"]["Pet"] | undefined> {
  const { data } = await client({ id, name: "A", owner: null }, 200).GET("/pets/{id}", { params: { path: { id } } });
  return data;
}
gives(pet, [1], { id: 1, name: "A", owner: null });
refuses(pet, ["1"]);

/** Shows a pet or the problem. */
export async function find(
  id: number,
  query: NonNullable<paths["/pets/{id}"]["get"]["parameters"]["query"]>,
): Promise<Pick<FetchResponse<paths["/pets/{id}"]["get"], object, "application/json">, "data" | "error">> {
  const { data, error } = await client({ title: "no" }, 404).GET("/pets/{id}", { params: { path: { id }, query } });
  return { data, error } as { data?: never; error: components["schemas"]["Problem"] };
}
gives(find, [1, { deep: true }], { error: { title: "no" } });
refuses(find, [1, { deep: "yes" }]);
