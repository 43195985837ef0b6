import { assistant, type Contents, type Context, contents, type Integer, type Message, ToolError, user } from "proffer";

/**
 * Computes the factorial of a non-negative integer.
 * @param n - the integer. @minimum 0 @maximum 1000
 * @readOnly
 */
export function factorial(n: Integer): bigint {
  let product = 1n;
  for (let factor = 2n; factor <= BigInt(n); factor++) product *= factor;
  return product;
}

/**
 * Divides one integer by another.
 * @param dividend - the number to divide
 * @param divisor - the number to divide by
 * @readOnly
 */
export function divide(dividend: Integer, divisor: Integer): { quotient: Integer; remainder: Integer } {
  if (divisor === 0) throw new ToolError("error(evaluation_error(zero_divisor), divide/4)");
  return { quotient: Math.trunc(dividend / divisor), remainder: dividend % divisor };
}

/**
 * Records a fact and returns nothing.
 * @param fact - the fact
 */
export function assertz(fact: string): void {
  console.error(`noted: ${fact}`);
}

/**
 * Accepts a value of each type that predicates can declare, and returns all of them.
 * @param integer - a whole number
 * @param float - a number
 * @param number - a number
 * @param atom - a text
 * @param boolean - true or false
 * @param list - a list of anything
 * @param listOf - a list of one type
 * @param compound - a structure
 * @param nonvar - anything, as a text
 * @param term - anything, as a text
 * @param chars - a text
 * @param codes - a text
 * @param other - a text
 * @readOnly
 */
export function types(
  integer: Integer,
  float: number,
  number: number,
  atom: string,
  boolean: boolean,
  list: unknown[],
  listOf: number[],
  compound: Record<string, unknown>,
  nonvar: string,
  term: string,
  chars: string,
  codes: string,
  other: string,
): Record<string, unknown> {
  return { integer, float, number, atom, boolean, list, listOf, compound, nonvar, term, chars, codes, other };
}

/** Asks the user for their name and greets them. */
export async function ask_name(ctx: Context): Promise<string> {
  const answer = await ctx.ask<{ name: string }>("What is your name?");
  return answer.action === "accept" ? `Hello, ${answer.content.name}!` : "No name provided.";
}

/**
 * Reviews code for potential issues
 * @prompt
 * @param code - The code to review
 * @param language - The programming language
 */
export function code_review(code: string, language?: string): string {
  const what = language === undefined ? "code" : `${language} code`;
  return `Please review the following ${what} for potential issues:\n\n${code}`;
}

/**
 * Summarizes a given text
 * @prompt
 * @param text - The text to summarize
 */
export function summarize(text: string): string {
  return `Please summarize the following text:\n\n${text}`;
}

/**
 * Opens a debate
 * @prompt
 * @param topic - What to debate
 */
export function debate(topic: string): Message[] {
  return [user(`Let us debate: ${topic}`), assistant("I would be happy to debate that topic. What is your position?")];
}

/**
 * Application configuration
 * @resource logtalk://my-app/config
 * @mimeType application/json
 */
export function config(): { name: string; version: string } {
  return { name: "my-app", version: "1.0" };
}

/**
 * Application readme
 * @resource logtalk://my-app/readme
 * @mimeType text/plain
 */
export function readme(): string {
  return "Welcome to my application.";
}

/**
 * Application log, one content per entry
 * @resource logtalk://my-app/logs
 * @mimeType text/plain
 */
export function logs(): Contents {
  return contents([{ text: "Log entry 1" }, { text: "Log entry 2" }]);
}
