import type { z } from 'zod';

/** The first check that fails: its text and the field it is about. Null when all pass. */
export function firstIssue(schema: z.ZodType, values: unknown): { text: string; field: string } | null {
  const issue = schema.safeParse(values).error?.issues[0];
  return issue === undefined ? null : { text: issue.message, field: String(issue.path[0] ?? '') };
}
