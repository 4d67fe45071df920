import type { CallReply } from '#contract/client.ts';
import { idOf } from './ids.ts';

/** Settings of an installation that nobody has changed. */
export function anInstallation(changes: Partial<CallReply<'getInstallation'>> = {}): CallReply<'getInstallation'> {
  return {
    version: 1,
    require_2fa: 'off',
    registration: 'open',
    shared_bot_list: true,
    session_idle_minutes: 480,
    session_life_minutes: 10_080,
    sender_name: '',
    sender_address: '',
    sender: { name: 'Flotilla', address: 'flotilla@localhost' },
    without_2fa: { admins: 1, all: 4 },
    ...changes,
  };
}

/** A mail of the outbox, sent. */
export function aMail(
  number: number,
  changes: Partial<CallReply<'listMails'>['mails'][number]> = {},
): CallReply<'listMails'>['mails'][number] {
  const time = new Date(Date.parse('2026-11-20T00:00:00.112Z') + number * 60_000).toISOString();
  return {
    id: idOf(number),
    recipient: `person${number}@flotilla.example`,
    subject: 'Your role was changed',
    state: 'sent',
    created_at: time,
    sent_at: time,
    next_try_at: null,
    tries: 1,
    last_error: null,
    ...changes,
  };
}
