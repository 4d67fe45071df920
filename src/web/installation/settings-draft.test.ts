import { expect, test } from 'vitest';
import { anInstallation } from '../testing/samples/installation.ts';
import { changedFields, changesOf, consequences, draftIssue, namedChanges, shownSettings, withField } from './settings-draft.ts';

const settings = anInstallation();

test('a field that is entered as it was is not a change', () => {
  const changed = withField(settings, withField(settings, {}, 'idle', '60'), 'registration', 'closed');
  expect(changed).toEqual({ idle: '60', registration: 'closed' });
  expect(changedFields(settings, changed)).toEqual(['idle', 'registration']);
  expect(withField(settings, changed, 'idle', '480')).toEqual({ registration: 'closed' });
  expect(withField(settings, { shared_bot_list: false }, 'shared_bot_list', true)).toEqual({});
});

test('a change that somebody else has made meanwhile counts no more', () => {
  const draft = { registration: 'closed', idle: '60' } as const;
  const loaded = anInstallation({ registration: 'closed' });
  expect(changedFields(loaded, draft)).toEqual(['idle']);
  expect(changesOf(loaded, draft)).toEqual({ session_idle_minutes: 60 });
});

test('shows what was entered over what was loaded', () => {
  expect(shownSettings(settings, { life: '24', sender_name: 'Desk' })).toEqual({
    require_2fa: 'off',
    idle: '480',
    life: '24',
    registration: 'open',
    shared_bot_list: true,
    sender_name: 'Desk',
    sender_address: '',
  });
});

test('names each change in words', () => {
  const draft = {
    require_2fa: 'all',
    idle: '60',
    life: '24',
    registration: 'invitation',
    shared_bot_list: false,
    sender_name: 'Desk',
  } as const;
  expect(namedChanges(settings, draft).map(({ name, from, to }) => `${name}: ${from} > ${to}`)).toEqual([
    'Require 2FA for: Nobody > All accounts',
    'Idle time: 480 min > 60 min',
    'Session length: 168 h > 24 h',
    'May sign up: Everybody > People with an invitation',
    'Traders see: All bots > Their own bots',
    'Sender name: default > Desk',
  ]);
});

test('sends minutes', () => {
  expect(changesOf(settings, { idle: '90', life: '1.5' })).toEqual({ session_idle_minutes: 90, session_life_minutes: 90 });
});

test.each([
  [{ idle: '14' }, 'idle', 'The idle time must be between 15 minutes and 24 hours'],
  [{ idle: '' }, 'idle', 'The idle time must be between 15 minutes and 24 hours'],
  [{ idle: '1441' }, 'idle', 'The idle time must be between 15 minutes and 24 hours'],
  [{ life: '0.9' }, 'life', 'The length of a session must be between 1 hour and 30 days'],
  [{ life: '-' }, 'life', 'The length of a session must be between 1 hour and 30 days'],
  [{ life: '7' }, 'life', 'The idle time cannot be longer than the session'],
  [{ idle: '600', life: '9' }, 'idle', 'The idle time cannot be longer than the session'],
  [{ sender_address: 'desk' }, 'sender_address', 'The address of the sender must be an e-mail address'],
  [{ sender_name: 'x'.repeat(101) }, 'sender_name', 'The name of the sender must have at most 100 characters on one line'],
])('%o is refused at its field', (draft, field, text) => {
  expect(draftIssue(settings, draft)).toEqual({ field, text });
});

test('what is in bounds is not refused', () => {
  expect(draftIssue(settings, { idle: '15', life: '720', sender_address: 'desk@harbour.example', sender_name: '' })).toBeNull();
  expect(draftIssue(settings, { idle: '1440' })).toBeNull();
});

test('says what saving does to people who are signed in', () => {
  const effects = (draft: Parameters<typeof consequences>[1], of = settings) => consequences(of, draft);
  expect(effects({ require_2fa: 'admins' })).toEqual([
    '1 account has no 2FA and will be signed out. The next sign-in asks for a mailed code and switches 2FA on.',
  ]);
  expect(effects({ require_2fa: 'all' })[0]).toMatch(/^4 accounts have no 2FA/u);
  expect(effects({ life: '24' })).toEqual(['Everybody who signed in more than 24 h ago will be signed out, you too.']);
  expect(effects({ life: '200', idle: '60', registration: 'closed' })).toEqual([]);
  const secured = anInstallation({ require_2fa: 'all', without_2fa: { admins: 0, all: 3 } });
  expect(effects({ require_2fa: 'admins' }, secured)).toEqual([]);
  expect(effects({ require_2fa: 'off' }, secured)).toEqual([]);
});
