import type { TradingState } from '#engine/bot/event.ts';
import type { AlarmWords } from './alarm-words.ts';
import type { TradeMode } from '#storage/trades/trade-mode.ts';
import type { Mail } from './mailer.ts';
import { oneLine } from './plain-name.ts';

/** Where and when something was done with an account. */
export interface Place {
  device: string | null; // 'Firefox on Linux', as far as the browser says
  address: string;
  time: Date;
}

const changePassword = 'set a new password with "Forgot password?" on the sign-in page now.';

/** The mails the server writes. A code stands alone on one line; what people have entered stays on the line it is put into. */
export const mails = {
  verification: (recipient: string, code: string): Mail =>
    codeMail(recipient, 'Your verification code', 'confirm your email address', code, 30),
  reset: (recipient: string, code: string): Mail => codeMail(recipient, 'Your password reset code', 'set a new password', code, 15),
  twoFactor: (recipient: string, code: string): Mail =>
    codeMail(recipient, 'Your 2FA code', 'finish signing in or setting up 2FA', code, 10),
  invitation: (recipient: string, code: string, url: string): Mail => ({
    recipient,
    subject: 'Your invitation to Flotilla',
    body: lines(
      `You were invited to open an account. Go to ${oneLine(url)} and enter this code:`,
      '',
      code,
      '',
      'It works once, and only for this email address. If you did not expect an invitation, ignore this email.',
    ),
  }),

  passwordChanged: (recipient: string): Mail => ({
    recipient,
    subject: 'Your password was changed',
    body: 'The password of your Flotilla account was changed. All other sessions have ended.\nIf this was not you, use "Forgot password?" on the sign-in page now.',
  }),
  passwordResetNeeded: (recipient: string): Mail => ({
    recipient,
    subject: 'A new password is needed',
    body: lines(
      'Too many wrong 2FA codes were entered after your right password, so nobody can sign in to your Flotilla account until you set a new one.',
      'Somebody else may know your password. Set a new one with "Forgot password?" on the sign-in page.',
    ),
  }),
  secondFactorLocked: (recipient: string, minutes: number): Mail => ({
    recipient,
    subject: '2FA is locked for a while',
    body: lines(
      `Too many wrong 2FA codes were entered for your Flotilla account. No code is accepted for the next ${minutes} minutes.`,
      `Whoever entered them knows your password. If this was not you, ${changePassword}`,
    ),
  }),
  twoFactorOn: (recipient: string): Mail => ({
    recipient,
    subject: '2FA was switched on',
    body: lines(
      'From now on signing in to your Flotilla account needs a code that is sent to this address. All other sessions have ended.',
      `If this was not you, ${changePassword}`,
    ),
  }),
  authenticatorOn: (recipient: string, isFirst: boolean): Mail => ({
    recipient,
    subject: 'An authenticator app was set up',
    body: lines(
      `From now on signing in to your Flotilla account needs a code of the authenticator app that was just set up.${isFirst ? ' All other sessions have ended.' : ''}`,
      `If this was not you, ${changePassword} Then ask the operator of the server to take the app away.`,
    ),
  }),
  authenticatorOff: (recipient: string, left: 'none' | 'mail' | 'passkeys'): Mail => ({
    recipient,
    subject: 'An authenticator app was taken away',
    body: lines(
      {
        mail: 'Signing in to your Flotilla account needs a code that is sent to this address again, and none of the authenticator app.',
        passkeys: 'The authenticator app of your Flotilla account was taken away, with its backup codes. Signing in needs a passkey now.',
        none: 'The authenticator app of your Flotilla account was taken away. Signing in needs your password alone now.',
      }[left],
      `If this was not you, ${changePassword}`,
    ),
  }),
  passkeyAdded: (recipient: string, name: string, isFirst: boolean): Mail => ({
    recipient,
    subject: 'A passkey was added',
    body: lines(
      `A passkey was added to your Flotilla account: ${oneLine(name)}. It is a second factor at sign-in from now on.${isFirst ? ' All other sessions have ended.' : ''}`,
      `If this was not you, ${changePassword} Then remove the passkey under "Your Account Settings".`,
    ),
  }),
  passkeyRemoved: (recipient: string, name: string, hasOther: boolean): Mail => ({
    recipient,
    subject: 'A passkey was removed',
    body: lines(
      `A passkey was removed from your Flotilla account: ${oneLine(name)}.${hasOther ? '' : ' Signing in needs your password alone now.'}`,
      `If this was not you, ${changePassword}`,
    ),
  }),
  backupCodesRenewed: (recipient: string): Mail => ({
    recipient,
    subject: 'New backup codes were made',
    body: lines(
      'Ten new backup codes were made for your Flotilla account. The earlier ones are void.',
      `If this was not you, ${changePassword}`,
    ),
  }),
  backupCodeUsed: (recipient: string, left: number): Mail => ({
    recipient,
    subject: 'A backup code was used',
    body: lines(
      `A backup code was entered in place of your authenticator app or passkey. Left: ${left} of 10; new ones are made under "Your Account Settings".`,
      `If this was not you, ${changePassword} Then make new backup codes.`,
    ),
  }),
  mailedCodesOff: (recipient: string): Mail => ({
    recipient,
    subject: 'Mailed 2FA codes were switched off',
    body: lines(
      'From now on no code that is sent to this address signs in to your Flotilla account, only the authenticator app, passkeys and backup codes.',
      `If this was not you, ${changePassword}`,
    ),
  }),

  newDevice: (recipient: string, { device, address, time }: Place): Mail => ({
    recipient,
    subject: 'Sign-in from a new device',
    body: lines(
      'Somebody signed in to your Flotilla account from a device it has not been used on before:',
      '',
      `Device: ${oneLine(device ?? 'unknown')}`,
      `Address: ${oneLine(address)}`,
      `Time: ${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
      '',
      `If this was you, there is nothing to do. If not, ${changePassword}`,
    ),
  }),
  sessionEnded: (recipient: string): Mail => ({
    recipient,
    subject: 'A session was ended',
    body: 'One of your Flotilla sessions was used from two places at once, so we ended it.\nIf you did not expect this, change your password.',
  }),
  twoFactorOff: (recipient: string): Mail => ({
    recipient,
    subject: 'Two-factor authentication was switched off',
    body: 'The operator of this Flotilla server has switched the second factor of your account off, and ended its sessions.\nIf you did not ask for this, tell the operator, and set it up again under "Your Account Settings".',
  }),
  sessionsEnded: (recipient: string): Mail => ({
    recipient,
    subject: 'Your sessions were ended',
    body: lines(
      'An administrator ended all sessions of your Flotilla account. Your bots are not affected.',
      'Sign in again to continue. If you did not expect this, ask your administrator.',
    ),
  }),
  roleChanged: (recipient: string, from: string, to: string): Mail => ({
    recipient,
    subject: 'Your role was changed',
    body: lines(
      `An administrator changed the role of your Flotilla account from ${oneLine(from)} to ${oneLine(to)}. All your sessions have ended; sign in again to continue.`,
      'If you did not expect this, ask your administrator.',
    ),
  }),
  manyWrongPasswords: (recipient: string, count: number, minutes: number): Mail => ({
    recipient,
    subject: 'Many wrong passwords',
    body: lines(
      `${count} wrong passwords were entered on your Flotilla server within ${minutes} minutes. Somebody may be guessing. Nobody was locked out.`,
      'The audit log shows the addresses they came from: filter it for refused sign-ins. Block those addresses if you do not know them.',
    ),
  }),

  apiKeyAdded: (recipient: string, exchange: string): Mail => ({
    recipient,
    subject: 'An API key was added',
    body: `An API key of ${oneLine(exchange)} was added to your Flotilla account.\nIf you did not expect this, delete it under "Your Account Settings" and change your password.`,
  }),
  channelAdded: (recipient: string, name: string, kind: string): Mail => ({
    recipient,
    subject: 'A channel was added',
    body: lines(
      `The channel "${oneLine(name)}" (${channelKind(kind)}) was added to your Flotilla account. What you have chosen about your bots is sent there.`,
      `If this was not you, delete it under "Your Account Settings" and ${changePassword}`,
    ),
  }),
  channelDeleted: (recipient: string, name: string, kind: string): Mail => ({
    recipient,
    subject: 'A channel was deleted',
    body: lines(
      `The channel "${oneLine(name)}" (${channelKind(kind)}) was deleted from your Flotilla account. Nothing is sent there any more.`,
      `If this was not you, ${changePassword}`,
    ),
  }),
  browserEnded: (recipient: string, name: string): Mail => ({
    recipient,
    subject: 'A browser takes no messages any more',
    body: lines(
      `The channel "${oneLine(name)}" was removed from your Flotilla account: its browser has ended the subscription, for example because its data were cleared or notifications were blocked.`,
      'To get messages there again, add the channel in that browser under "Your Account Settings".',
    ),
  }),
  channelGone: (recipient: string, name: string, fault: string): Mail => ({
    recipient,
    subject: 'A channel is paused',
    body: lines(
      `The channel "${oneLine(name)}" of your Flotilla account is paused, and what waited for it was dropped: ${oneLine(fault)}`,
      'No message goes there until you resume it under "Your Account Settings". Delete it if it leads nowhere any more, and add another.',
    ),
  }),
  apiKeyDeleted: (recipient: string, exchange: string, end: string): Mail => ({
    recipient,
    subject: 'An API key was deleted',
    body: lines(
      `The API key of ${oneLine(exchange)} ending in ${oneLine(end)} was deleted from your Flotilla account. It still exists at the exchange; delete it there too if you no longer need it.`,
      `If this was not you, ${changePassword}`,
    ),
  }),
  apiKeyRefused: (recipient: string, exchange: string, end: string): Mail => ({
    recipient,
    subject: 'An API key no longer works',
    body: lines(
      `${oneLine(exchange)} refuses the API key ending in ${oneLine(end)}. Bots that use it cannot trade live, and cannot close positions that are open there.`,
      'The key may have expired, been deleted, or be bound to another IP address. Check it at the exchange, then add a working key under "Your Account Settings".',
    ),
  }),
  botPaused: (recipient: string, nickname: string, losses: number, mode: TradeMode): Mail => ({
    recipient,
    subject: 'Bot paused',
    body: lines(
      ...liveLines(mode),
      `Your bot "${oneLine(nickname)}" has closed ${losses} trades in a row at a loss and was paused.`,
      'It still manages its open trades but opens no new ones. Activate it when you want it to continue.',
    ),
  }),
  tradingState: (recipient: string, state: TradingState | 'closed', whose: string): Mail => ({
    recipient,
    subject: {
      active: 'Trading was re-armed',
      reducing: 'Entries were stopped',
      halted: 'Trading was halted',
      closed: 'Everything is being closed',
    }[state],
    body: lines(
      state === 'closed'
        ? `An administrator has halted trading of ${whose} and has all open trades closed.`
        : `An administrator has set trading of ${whose} to ${state}.`,
      {
        active: 'Your bots trade as configured again.',
        reducing: 'Your bots make no new entries, and entry orders that wait are cancelled. Exits and stops continue.',
        closed: 'Your open trades are being closed at market, and your bots make no new entries.',
        halted: 'Your bots make no new orders except stops. Trades that are open stay open until their stops are reached.',
      }[state],
    ),
  }),
  alarm: (recipient: string, { title, what, advice }: AlarmWords): Mail => ({
    recipient,
    subject: title,
    body: lines(oneLine(what), '', oneLine(advice)),
  }),
  dailyReport: (recipient: string, day: string, figures: readonly string[], page: string): Mail => ({
    recipient,
    subject: `Daily Report ${day}`,
    body: lines(
      `The trades that were closed on ${day} (UTC), in all modes:`,
      '',
      ...figures.map(oneLine),
      '',
      'The attached PDF shows the trades.',
      '',
      howToStop(page),
    ),
  }),
  emptyDailyReport: (recipient: string, day: string, page: string): Mail => ({
    recipient,
    subject: `Daily Report ${day}`,
    body: lines(`No trade was closed on ${day} (UTC).`, '', howToStop(page)),
  }),
  test: (recipient: string): Mail => ({
    recipient,
    subject: 'Test mail from Flotilla',
    body: 'This is the test mail you asked for. Your Flotilla server can send mail.',
  }),
} as const;

/** The first lines of a mail about a live bot: it must not be taken for one about paper. */
function liveLines(mode: TradeMode): string[] {
  if (mode === 'paper') return [];
  return [mode === 'live' ? 'LIVE: real orders, real money.' : 'LIVE on the sandbox or a test network: real orders, no real money.', ''];
}

function codeMail(recipient: string, subject: string, purpose: string, code: string, minutes: number): Mail {
  return {
    recipient,
    subject,
    body: `Use this code to ${purpose}:\n\n${code}\n\nIt expires in ${minutes} minutes and works once. If you did not ask for it, ignore this email.`,
  };
}

function howToStop(page: string): string {
  return `You get this mail each morning because you asked for it. To stop it, switch off "Mail me this report each morning" at ${oneLine(page)}`;
}

function channelKind(kind: string): string {
  return { telegram: 'Telegram', discord: 'Discord', slack: 'Slack', ntfy: 'ntfy', webhook: 'webhook', browser: 'browser' }[kind] ?? kind;
}

function lines(...all: readonly string[]): string {
  return all.join('\n');
}
