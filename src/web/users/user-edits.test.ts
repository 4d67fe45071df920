import { expect, test } from 'vitest';
import type { ManagedBot, ManagedUser } from './user-edits.ts';
import { noEdits, pendingChanges, withoutChange, withRole, withStatus } from './user-edits.ts';

const bot = (id: string, status: ManagedBot['status']): ManagedBot => ({
  id,
  name: `bot ${id}`,
  strategy_name: 's',
  exchange: 'e',
  exchange_id: 'e',
  mode: 'paper',
  trading_pairs: [],
  status,
});
const user = (id: string, role: ManagedUser['role'], bots: ManagedUser['bots'] = []): ManagedUser => ({
  id,
  userId: id,
  display_name: id,
  email: `${id}@a.bc`,
  role,
  verified: true,
  email_verified: true,
  has_2fa: false,
  created_at: '2026-01-01T00:00:00.000Z',
  bots,
  api_keys: [],
});
const users = [user('a', 'trader', [bot('1', 'active')]), user('b', 'investor', [bot('2', 'stopped')])];

test('STATE-13, OP-40 roles come first, then bots, each in the order of the list', () => {
  let edits = withStatus(noEdits, bot('2', 'stopped'), 'paused');
  edits = withRole(edits, user('b', 'investor'), 'operator');
  edits = withStatus(edits, bot('1', 'active'), 'paused');
  edits = withRole(edits, user('a', 'trader'), 'admin');
  expect(pendingChanges(edits, users)).toEqual([
    { kind: 'role', id: 'a', name: 'a@a.bc', from: 'trader', to: 'admin' },
    { kind: 'role', id: 'b', name: 'b@a.bc', from: 'investor', to: 'operator' },
    { kind: 'status', id: '1', name: 'bot 1', from: 'active', to: 'paused', mode: 'paper' },
    { kind: 'status', id: '2', name: 'bot 2', from: 'stopped', to: 'paused', mode: 'paper' },
  ]);
});

test('OP-40 an edit set back to what is stored leaves; the newest of several counts', () => {
  const twice = withRole(withRole(noEdits, user('a', 'trader'), 'operator'), user('a', 'trader'), 'investor');
  expect(pendingChanges(twice, users)).toMatchObject([{ to: 'investor' }]);
  expect(withRole(twice, user('a', 'trader'), 'trader')).toEqual(noEdits);
  const paused = withStatus(noEdits, bot('1', 'active'), 'paused');
  expect(withStatus(paused, bot('1', 'active'), 'active')).toEqual(noEdits);
});

test('OP-40 what was saved leaves, the rest stays', () => {
  const edits = withStatus(withRole(noEdits, user('a', 'trader'), 'operator'), bot('1', 'active'), 'paused');
  expect(withoutChange(edits, { kind: 'role', id: 'a' })).toEqual({ roles: {}, statuses: { 1: 'paused' } });
  expect(withoutChange(edits, { kind: 'status', id: '1' })).toEqual({ roles: { a: 'operator' }, statuses: {} });
});

test('an edit counts no more when its account or bot is gone, is so already, or has become an admin’s', () => {
  const edits = withStatus(withRole(noEdits, user('a', 'trader'), 'operator'), bot('1', 'active'), 'paused');
  expect(pendingChanges(edits, [user('b', 'investor')])).toEqual([]);
  expect(pendingChanges(edits, [user('a', 'operator', [bot('1', 'paused')])])).toEqual([]);
  expect(pendingChanges(edits, [user('a', 'admin')])).toEqual([]);
});
