import { type Entry, Registry } from "../catalog/registry.ts";
import type { Revision } from "../protocol/revisions/revision.ts";
import type { SerializedResult } from "../results/encode.ts";
import type { ServerLimits } from "../server/limits.ts";
import { UsageError } from "../support/usage-error.ts";
import { TemplateError } from "../uri/parse.ts";
import { Routes } from "../uri/routes.ts";
import type { Resource } from "./define.ts";
import { DEFAULT_RULES, type ResourceRules } from "./rules.ts";

/** Holds resources and templates: lists them in registration order and finds them by URI. */
export class ResourceRegistry extends Registry<Resource> {
  readonly routes = new Routes<Resource>();
  readonly #limits: Pick<Required<ServerLimits>, "uriLength" | "templateLength">;
  readonly #serialized = new Map<Resource, Map<Revision, SerializedResult>>();
  readonly #groups = new Map<ResourceRules, number>();
  #sources: readonly Entry<Resource>[] | undefined;

  constructor(
    changed: (added?: Resource) => void,
    limits: Pick<Required<ServerLimits>, "uriLength" | "templateLength">,
  ) {
    super("resource", (resource) => resource.uri, changed);
    this.#limits = limits;
  }

  override add(resource: Resource): void {
    this.#checkLength(resource);
    this.#invalidateSources(resource);
    super.add(resource);
    try {
      this.routes.add(resource.template ?? resource.uri, resource, resource.rules.match);
    } catch (cause) {
      this.#invalidateSources(resource);
      super.remove(resource.uri);
      if (cause instanceof TemplateError) throw new UsageError("duplicate", cause.message, { cause });
      throw cause;
    }
    const { rules } = resource;
    if (rules !== DEFAULT_RULES) this.#groups.set(rules, (this.#groups.get(rules) ?? 0) + 1);
  }

  override remove(uri: string): boolean {
    const resource = this.get(uri);
    if (resource === undefined) return false;
    this.routes.remove(uri);
    this.#serialized.delete(resource);
    this.#invalidateSources(resource);
    const others = (this.#groups.get(resource.rules) ?? 1) - 1;
    if (others === 0) this.#groups.delete(resource.rules);
    else if (resource.rules !== DEFAULT_RULES) this.#groups.set(resource.rules, others);
    return super.remove(uri);
  }

  #checkLength({ uri, template }: Resource): void {
    const limit = template === undefined ? "uriLength" : "templateLength";
    const max = this.#limits[limit];
    if (uri.length <= max) return;
    throw new UsageError(
      "bad_template",
      `The uri of resource ${uri.slice(0, 64)}… has ${uri.length} characters; limits.${limit} of the server is ${max}.`,
    );
  }

  /** Clears the cached sources if the resource is one of them. */
  #invalidateSources(resource: Resource): void {
    if (resource.list !== undefined) this.#sources = undefined;
  }

  /** Whether any template offers completions for its variables. */
  get completes(): boolean {
    return this.sources.length > 0 || [...this].some((resource) => resource.complete.size > 0);
  }

  /** The templates with a list function. */
  get sources(): readonly Entry<Resource>[] {
    this.#sources ??= this.entries().filter(({ item }) => item.list !== undefined);
    return this.#sources;
  }

  /** Finds a template by the text that clients see. */
  template(text: string): Resource | undefined {
    const known = this.get(text);
    if (known !== undefined) return known;
    return [...this].find(({ description }) => "uriTemplate" in description && description.uriTemplate === text);
  }

  /** The number of resources in each group. */
  get groups(): ReadonlyMap<ResourceRules, number> {
    return this.#groups;
  }

  /** The version of a resource that serves calls. */
  serving(resource: Resource): Resource {
    return resource;
  }

  /** Returns the cached serialized result of a fixed resource. */
  serialized(resource: Resource, revision: Revision): SerializedResult | undefined {
    return this.#serialized.get(resource)?.get(revision);
  }

  cacheSerialized(resource: Resource, revision: Revision, result: SerializedResult): void {
    const byRevision = this.#serialized.get(resource) ?? new Map<Revision, SerializedResult>();
    byRevision.set(revision, result);
    this.#serialized.set(resource, byRevision);
  }
}
