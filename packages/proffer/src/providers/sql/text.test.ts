import { describe, expect, it } from "vitest";
import { toStatement } from "./text.ts";

describe("a query", () => {
  it("has its named values as the database wants them", () => {
    const source = "select * from t where a = :a and b > :b and c = :a";
    expect(toStatement(source, "postgres", "x")).toEqual({
      text: "select * from t where a = $1 and b > $2 and c = $1",
      names: ["a", "b"],
    });
    expect(toStatement(source, "sqlite", "x")).toEqual({
      text: "select * from t where a = ? and b > ? and c = ?",
      names: ["a", "b", "a"],
    });
  });

  it.each([
    "select ':a' from t",
    'select ":a" from t',
    "select `:a` from t",
    "select 'it''s :a' from t",
    "select a::text from t",
    "select 1 -- :a\n",
    "select 1 /* :a /* :b */ :c */",
    "select $$:a$$ from t",
    "select $tag$ :a $$ $tag$ from t",
    "select '; delete from t'",
    "select comment, security from t",
    "with a as (select 1) select * from a",
    "values (1)",
  ])("has no values in %s", (source) => {
    expect(toStatement(source, "postgres", "x")).toEqual({ text: source.trim(), names: [] });
  });

  it("may end with a semicolon", () => {
    expect(toStatement("select 1; -- done\n", "sqlite", "x").text).toBe("select 1 -- done");
  });

  it.each([
    ["delete from t", "has the word delete"],
    ["with gone as (delete from t returning *) select * from gone", "has the word delete"],
    ["select * into copy from t", "has the word into"],
    ["select * from t for update", "has the word update"],
    ["drop table t", "does not begin with select"],
    ["pragma writable_schema = on", "does not begin with select"],
    ["", "does not begin with select"],
    ["-- only a comment", "does not begin with select"],
    ["select 1; drop table t", "has more than one statement"],
    ["select 1;; select 2", "has more than one statement"],
    ["select * from t where a = ?", "has the parameter ? without a name"],
    ["select * from t where a = $1", "has the parameter $1 without a name"],
    ["select 'open", "has ' without an end"],
    ["select /* open", "has /* without an end"],
    ["select $x$ open", "has $x$ without an end"],
  ])("cannot be %s", (source, problem) => {
    expect(() => toStatement(source, "postgres", "here")).toThrow(
      expect.objectContaining({ code: "bad_option", message: expect.stringContaining(`here: the query ${problem}`) }),
    );
  });
});
