import type { components, operations } from "@octokit/openapi-types";
import type { Endpoints } from "@octokit/types";
import { accepts, cannotReturn, hides, refuses, returns, says } from "../expect.ts";

/** Opens an issue. */
export async function openIssue(
  params: Endpoints["POST /repos/{owner}/{repo}/issues"]["parameters"],
): Promise<Pick<components["schemas"]["issue"], "number" | "html_url" | "title">> {
  throw new Error(params.owner);
}
accepts(
  openIssue,
  [{ owner: "a", repo: "b", title: "Broken" }],
  [{ owner: "a", repo: "b", title: 5, labels: ["bug", { name: "p1", color: null }], milestone: null }],
);
refuses(
  openIssue,
  [{ owner: "a", repo: "b" }],
  [{ owner: "a", repo: "b", title: true }],
  [{ owner: "a", repo: "b", title: "Broken", labels: [5] }],
  [{ owner: "a", repo: "b", title: "Broken", label: "bug" }],
);
returns(openIssue, { number: 1, html_url: "https://example.org/1", title: "Broken" });
cannotReturn(openIssue, { number: "1", html_url: "", title: "" });

/** Lists repositories. */
export function listRepositories(
  query: NonNullable<operations["repos/list-for-user"]["parameters"]["query"]>,
): Pick<components["schemas"]["minimal-repository"], "id" | "name" | "license" | "topics">[] {
  throw new Error(String(query.page));
}
accepts(listRepositories, [{}], [{ type: "owner", sort: "pushed", direction: "desc", per_page: 10 }]);
refuses(listRepositories, [{ sort: "stars" }], [{ per_page: "10" }]);
returns(listRepositories, [], [{ id: 1, name: "a", license: null, topics: ["x"] }]);

/** Shows the owner of a repository. */
export function owner(repo: string): components["schemas"]["simple-user"] | null {
  throw new Error(repo);
}
returns(owner, null, {
  login: "a",
  id: 2n ** 60n,
  node_id: "",
  avatar_url: "",
  gravatar_id: null,
  url: "",
  html_url: "",
  followers_url: "",
  following_url: "",
  gists_url: "",
  starred_url: "",
  subscriptions_url: "",
  organizations_url: "",
  repos_url: "",
  events_url: "",
  received_events_url: "",
  type: "User",
  site_admin: false,
});
cannotReturn(owner, { login: "a" });

/** Shows a repository. */
export async function repository(owner: string, repo: string): Promise<components["schemas"]["full-repository"]> {
  throw new Error(owner + repo);
}
accepts(repository, ["a", "b"]);
refuses(repository, ["a"]);
cannotReturn(repository, {}, { id: "1" });
says(repository, "full_name");

/** Merges a pull request. */
export function merge(
  params: Endpoints["PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge"]["parameters"],
): Endpoints["PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge"]["response"]["data"] {
  throw new Error(params.owner);
}
accepts(merge, [{ owner: "a", repo: "b", pull_number: 1, merge_method: "squash" }]);
refuses(merge, [{ owner: "a", repo: "b", pull_number: 1, merge_method: "octopus" }]);
returns(merge, { sha: "abc", merged: true, message: "Merged." });

function memoize<F extends (...args: never[]) => unknown>(run: F): F {
  return run;
}

/** Counts stars. */
export const stars = memoize(
  async (owner: string, repo: string): Promise<Pick<components["schemas"]["repository"], "stargazers_count">> => {
    throw new Error(owner + repo);
  },
);
accepts(stars, ["a", "b"]);
refuses(stars, ["a"], ["a", 5]);
returns(stars, { stargazers_count: 5 });
hides(stars, "prefixItems");

/** Lists labels. */
export const labels = async (
  ...names: NonNullable<components["schemas"]["label"]["name"]>[]
): Promise<Map<string, components["schemas"]["label"]["color"]>> => new Map(names.map((name) => [name, ""]));
accepts(labels, [], ["a", "b"]);
refuses(labels, [5]);
returns(labels, new Map([["bug", "red"]]));
