import { describe, expect, it } from "vitest";
import { toStatement } from "./text.ts";

describe("a query", () => {
  it("uses the placeholders of the dialect", () => {
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
  ])("finds no placeholder in %s", (source) => {
    expect(toStatement(source, "postgres", "x")).toEqual({ text: source.trim(), names: [] });
  });

  it("can end with a semicolon", () => {
    expect(toStatement("select 1; -- done\n", "sqlite", "x").text).toBe("select 1 -- done");
  });

  it.each([
    ["delete from t", "contains delete"],
    ["with gone as (delete from t returning *) select * from gone", "contains delete"],
    ["select * into copy from t", "contains into"],
    ["select * from t for update", "contains update"],
    ["drop table t", "does not start with select"],
    ["pragma writable_schema = on", "does not start with select"],
    ["", "does not start with select"],
    ["-- only a comment", "does not start with select"],
    ["select 1; drop table t", "has more than one statement"],
    ["select 1;; select 2", "has more than one statement"],
    ["select * from t where a = ?", "has the unnamed parameter ?"],
    ["select * from t where a = $1", "has the unnamed parameter $1"],
    ["select 'open", "has an unterminated '"],
    ["select /* open", "has an unterminated /*"],
    ["select $x$ open", "has an unterminated $x$"],
  ])("cannot be %s", (source, problem) => {
    expect(() => toStatement(source, "postgres", "here")).toThrow(
      expect.objectContaining({ code: "bad_option", message: expect.stringContaining(`here: the query ${problem}`) }),
    );
  });
});
