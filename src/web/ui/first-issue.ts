import type { z } from 'zod';

/** A check of a form that failed: its text, and the field it is about. */
export interface Issue {
  text: string;
  field: string;
}

/** The first check that fails, or null when all pass. */
export function firstIssue(schema: z.ZodType, values: unknown): Issue | null {
  const issue = schema.safeParse(values).error?.issues[0];
  return issue === undefined ? null : { text: issue.message, field: String(issue.path[0] ?? '') };
}
