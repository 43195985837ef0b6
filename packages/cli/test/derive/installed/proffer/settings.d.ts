// The types of settings that matter for derivation.
interface Schema {
  readonly type: "object";
  readonly properties: { readonly [name: string]: { readonly [keyword: string]: unknown } };
  readonly required?: readonly string[];
}

export function defineSettings<const Given extends Schema>(schema: Given, options?: object): Given["properties"];
export function defineSettings<Values extends object>(schema?: undefined, options?: object): Readonly<Values>;
