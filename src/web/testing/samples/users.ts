import type { SessionUser } from '#contract/auth.ts';
import type { CallReply } from '#contract/client.ts';
import type { Role } from '#contract/fields.ts';
import { idOf } from './ids.ts';

/** A person of the role, with everything confirmed. Their id is that of number 1. */
export function aUser(role: Role = 'trader', changes: Partial<SessionUser> = {}): SessionUser {
  return { email: `${role}@flotilla.example`, userId: idOf(1), role, verified: true, email_verified: true, has_2fa: false, ...changes };
}

/** An open invitation. */
export function anInvitation(
  number: number,
  changes: Partial<CallReply<'listInvitations'>[number]> = {},
): CallReply<'listInvitations'>[number] {
  return {
    id: idOf(number),
    email: `guest-${number}@example.com`,
    role: 'trader',
    state: 'open',
    invited_by: 'admin@flotilla.example',
    created_at: '2026-11-20T00:00:00.000Z',
    expires_at: '2026-11-27T00:00:00.000Z',
    ...changes,
  };
}

/** An account of the user management: a verified trader without bots or keys. */
export function aManagedUser(number: number, changes: Partial<CallReply<'listUsers'>[number]> = {}): CallReply<'listUsers'>[number] {
  return {
    id: idOf(number),
    userId: idOf(number),
    display_name: `User ${number}`,
    email: `user${number}@flotilla.example`,
    role: 'trader',
    verified: true,
    email_verified: true,
    has_2fa: false,
    created_at: '2026-03-14T10:00:00.000Z',
    bots: [],
    api_keys: [],
    ...changes,
  };
}

/** A bot of such an account: paper, active, of two pairs. */
export function aManagedBot(
  number: number,
  changes: Partial<CallReply<'listUsers'>[number]['bots'][number]> = {},
): CallReply<'listUsers'>[number]['bots'][number] {
  return {
    id: idOf(100 + number),
    name: `Bot ${number}`,
    strategy_name: 'EMA Cross',
    exchange: 'Sandbox',
    exchange_id: 'sandbox',
    mode: 'paper',
    trading_pairs: ['BTC/USDT', 'ETH/USDT'],
    status: 'active',
    ...changes,
  };
}

/** A session of the signed-in person, the `n`th. */
export function aSession(n: number, changes: Partial<CallReply<'listSessions'>[number]> = {}): CallReply<'listSessions'>[number] {
  return {
    id: idOf(900 + n),
    device: 'Firefox on Linux',
    address: '192.0.2.14',
    started_at: '2026-11-20T00:00:00.000Z',
    last_seen_at: '2026-11-20T00:15:00.000Z',
    is_current: false,
    ...changes,
  };
}

/** An exchange key of the signed-in person, the `n`th. */
export function anApiKey(n: number, changes: Partial<CallReply<'listApiKeys'>[number]> = {}): CallReply<'listApiKeys'>[number] {
  return {
    id: idOf(950 + n),
    exchange: 'binance',
    exchange_name: 'Binance',
    label: null,
    key_hint: 'b07e',
    has_passphrase: false,
    created_at: '2026-11-20T00:00:00.000Z',
    last_used: null,
    checked_at: '2026-11-20T00:00:00.000Z',
    check: 'ok',
    is_checking: false,
    can_trade: true,
    can_withdraw: false,
    is_ip_bound: false,
    bots: [],
    ...changes,
  };
}

/** A channel of the signed-in person, the `n`th: of ntfy, about trades, with nothing sent yet. */
export function aChannel(n: number, changes: Partial<CallReply<'listChannels'>[number]> = {}): CallReply<'listChannels'>[number] {
  return {
    id: idOf(970 + n),
    kind: 'ntfy',
    name: `Phone ${n}`,
    hint: 'bour',
    topics: ['trade-opened', 'trade-closed'],
    quiet: null,
    breaks_quiet: true,
    created_at: '2026-11-20T00:00:00.000Z',
    paused: null,
    waiting: 0,
    sent_at: null,
    failed_at: null,
    error: null,
    given_up: 0,
    given_up_at: null,
    ...changes,
  };
}

/** The second factors of an account: no authenticator app and no mailed codes, unless something else is said. */
export function someFactors(changes: Partial<CallReply<'getSecondFactors'>> = {}): CallReply<'getSecondFactors'> {
  return {
    app_since: null,
    backup_codes: 0,
    mailed_codes: false,
    is_required: false,
    passkeys: [],
    passkey_origin: null,
    ...changes,
  };
}
