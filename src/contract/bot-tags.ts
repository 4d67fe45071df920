import { z } from 'zod';
import { isOneLine, shortText, unlessWrongType } from './fields.ts';

/** How many tags a bot has at most. */
export const mostTags = 10;

/** How long a tag is at most. */
export const longestTag = 24;

/** The refusals of tags. */
export const tagTexts = {
  form: `A tag has 1 to ${longestTag} characters`,
  tooMany: `A bot has at most ${mostTags} tags`,
} as const;

const tag = shortText(longestTag, tagTexts.form).refine((text) => text.trim() !== '' && isOneLine(text), tagTexts.form);

/** The tags of a bot, as a call gives them. */
export const botTags = z
  .array(tag, { error: unlessWrongType('list', tagTexts.form) })
  .max(mostTags, { error: tagTexts.tooMany, abort: true });

/** Tags as they are kept: without spaces around them, each once whatever its case. */
export function tidyTags(tags: readonly string[]): string[] {
  const byName = new Map<string, string>();
  for (const each of tags.map((text) => text.trim())) if (!byName.has(each.toLowerCase())) byName.set(each.toLowerCase(), each);
  return [...byName.values()];
}
