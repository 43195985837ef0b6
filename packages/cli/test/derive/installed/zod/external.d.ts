export interface ZodType<Output> {
  readonly _output: Output;
}
export interface ZodString extends ZodType<string> {
  min(length: number): ZodString;
}
export declare function string(): ZodString;
export declare function object<Shape extends Record<string, ZodType<unknown>>>(
  shape: Shape,
): ZodType<{ [Key in keyof Shape]: Shape[Key]["_output"] }>;
type output<Type extends ZodType<unknown>> = Type["_output"];

export type { output as infer };
