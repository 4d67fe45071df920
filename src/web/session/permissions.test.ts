import { roles } from '#contract/fields.ts';
import { describe, expect, test } from 'vitest';
import { canControlBot, canCreateBots, isAdmin } from './permissions.ts';
import { themeAtStart } from './theme-store.ts';

describe('roles', () => {
  test('ROLE-01 the roles are investor, trader, operator, admin', () => {
    expect(roles).toEqual(['investor', 'trader', 'operator', 'admin']);
  });

  test('ROLE-04 only the role admin is an admin', () => {
    expect(roles.filter((role) => isAdmin({ role }))).toEqual(['admin']);
    expect(isAdmin(null)).toBe(false);
    expect(isAdmin({ role: 'Admin' as 'admin' })).toBe(false);
  });

  test('BOTS-17 admins and traders may create bots', () => {
    expect(roles.filter((role) => canCreateBots({ role }))).toEqual(['trader', 'admin']);
    expect(canCreateBots(null)).toBe(false);
  });

  test('BOTS-20, BOTS-21, ROLE-12 a bot is controlled by its owner, whatever the role, and by admins', () => {
    for (const role of roles) {
      expect(canControlBot({ role, userId: 'u1' }, { user_id: 'u1' })).toBe(true);
      expect(canControlBot({ role, userId: 'u2' }, { user_id: 'u1' })).toBe(role === 'admin');
    }
    expect(canControlBot(null, { user_id: 'u1' })).toBe(false);
  });
});

test('SHELL-24, SHELL-25 the theme is the stored one, else that of the system', () => {
  expect([themeAtStart('dark', false), themeAtStart('light', true)]).toEqual(['dark', 'light']);
  expect([themeAtStart(null, true), themeAtStart(null, false), themeAtStart('auto', true)]).toEqual(['dark', 'light', 'dark']);
});
