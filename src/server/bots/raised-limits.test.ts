import type { LimitUse } from '#storage/limits/limits.ts';
import { expect, test } from 'vitest';
import { isAnyRaised } from './raised-limits.ts';

const limit = (level: LimitUse['level'], value: string): LimitUse => ({
  level,
  name: 'daily-loss',
  use: null,
  value,
  isDefault: true,
  byDefault: value,
  isReached: false,
  ceiling: null,
  hasNoRate: false,
});

test.each([
  [
    'the user’s, while that of the bot is fixed',
    [limit('bot', '50'), limit('user', '600')],
    [limit('bot', '50'), limit('user', '900')],
    true,
  ],
  ['the bot’s', [limit('bot', '50'), limit('user', '600')], [limit('bot', '60'), limit('user', '600')], true],
  [
    'none: one that is lower than another level’s was before is not raised',
    [limit('bot', '900'), limit('user', '600')],
    [limit('bot', '800'), limit('user', '600')],
    false,
  ],
])('a change of a bot that raises a limit is one that needs the password: %s', (_which, before, after, isRaised) => {
  expect(isAnyRaised(before, after)).toBe(isRaised);
});
