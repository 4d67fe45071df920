import { z } from 'zod';
import { registrations } from './auth.ts';
import { isEmailAddress } from './email-address.ts';
import { joinTexts, needsAdmin, texts } from './errors.ts';
import { id, moment, oneOf, requiredText, shortText, unlessWrongType } from './fields.ts';
import { defineRoute } from './route.ts';

/** Whose sign-in needs a second factor. */
export const twoFactorRules = ['off', 'admins', 'all'] as const;

/** The roles an invitation may give. */
export const invitedRoles = ['investor', 'trader', 'operator'] as const;

/** What may have become of an invitation. */
export const invitationStates = ['open', 'used', 'withdrawn', 'expired'] as const;

/** The shortest and longest times of a session, in minutes. */
export const sessionLimits = {
  idle: { min: 15, max: 24 * 60 },
  life: { min: 60, max: 30 * 24 * 60 },
} as const;

/** What is wrong with changed settings, as the form and the server say it. */
export const settingsTexts = {
  idle: 'The idle time must be between 15 minutes and 24 hours',
  life: 'The length of a session must be between 1 hour and 30 days',
  idleTooLong: 'The idle time cannot be longer than the session',
  senderName: 'The name of the sender must have at most 100 characters on one line',
  senderAddress: 'The address of the sender must be an e-mail address',
  ownTwoFactorFirst: 'Switch on 2FA for your own account first.',
  changedByOther: 'The settings were changed by somebody else. Reload and try again.',
} as const;

const minutes = ({ min, max }: { min: number; max: number }, error: string) =>
  z
    .int({ error: unlessWrongType('number', error) })
    .gte(min, { error, abort: true })
    .lte(max, { error, abort: true });

/** The settings that can be changed. */
export const changeableSettings = z.strictObject({
  require_2fa: oneOf(twoFactorRules, texts.invalidRequest),
  registration: oneOf(registrations, texts.invalidRequest),
  shared_bot_list: z.boolean({ error: texts.invalidRequest }),
  session_idle_minutes: minutes(sessionLimits.idle, settingsTexts.idle),
  session_life_minutes: minutes(sessionLimits.life, settingsTexts.life),
  // No control characters: a line break would begin another header of the mail.
  sender_name: shortText(100, settingsTexts.senderName).regex(/^\P{Cc}*$/u, { error: settingsTexts.senderName, abort: true }),
  sender_address: shortText(254, settingsTexts.senderAddress).refine((text) => text === '' || isEmailAddress(text), {
    error: settingsTexts.senderAddress,
    abort: true,
  }),
});

/** Body of a change: the version that was read, and what changes. */
export const changeInstallationBody = changeableSettings.partial().extend({ version: z.int({ error: texts.invalidRequest }).positive() });

/** The settings of the installation, and what a person needs to know to change them. */
export const installation = changeableSettings.extend({
  version: z.number().int(),
  sender: z.object({ name: z.string(), address: z.string() }), // in use: what is set, else the server's own
  without_2fa: z.object({ admins: z.number().int(), all: z.number().int() }), // accounts
});

/** An invitation, without its code. */
export const invitation = z.object({
  id: z.string(),
  email: z.string(),
  role: z.enum(invitedRoles),
  state: z.enum(invitationStates),
  invited_by: z.string().nullable(), // e-mail; null: the account is gone
  created_at: moment,
  expires_at: moment,
});

/** Body of an invitation. */
export const inviteBody = z.strictObject({
  email: requiredText('Email is required', 254).refine((text) => isEmailAddress(text.trim()), {
    error: 'Invalid email address',
    abort: true,
  }),
  role: oneOf(invitedRoles, 'Role must be investor, trader or operator').optional(), // trader when absent
});

const admin = { who: ['admin'], denied: texts.adminRequired } as const;

/** Calls about the settings of the installation, for admins. */
export const installationRoutes = {
  getInstallation: defineRoute({
    id: 'ADD-installation',
    method: 'GET',
    path: '/installation',
    summary: 'The settings of the installation.',
    access: admin,
    reply: installation,
    errors: needsAdmin,
  }),
  changeInstallation: defineRoute({
    id: 'ADD-change-installation',
    method: 'PATCH',
    path: '/installation',
    summary: 'Changes settings of the installation, unless somebody else has changed them since the given version.',
    access: { ...admin, stepUp: true },
    body: changeInstallationBody,
    reply: installation,
    errors: joinTexts(needsAdmin, {
      400: [
        settingsTexts.idle,
        settingsTexts.life,
        settingsTexts.idleTooLong,
        settingsTexts.senderName,
        settingsTexts.senderAddress,
        settingsTexts.ownTwoFactorFirst,
      ],
      403: [texts.noChangesAfterReset],
      409: [settingsTexts.changedByOther],
    }),
  }),
  listInvitations: defineRoute({
    id: 'ADD-invitations',
    method: 'GET',
    path: '/invitations',
    summary: 'The newest invitations, at most 200.',
    access: admin,
    reply: z.array(invitation),
    errors: needsAdmin,
  }),
  invite: defineRoute({
    id: 'ADD-invite',
    method: 'POST',
    path: '/invitations',
    summary: 'Mails somebody a code that makes one account, while registration is by invitation.',
    access: { ...admin, stepUp: true },
    body: inviteBody,
    status: 201,
    reply: invitation,
    errors: joinTexts(needsAdmin, {
      400: ['Email is required', 'Invalid email address', 'Role must be investor, trader or operator'],
      403: [texts.noChangesAfterReset],
      409: [
        'Email is already registered',
        'This address has an open invitation. Withdraw it first.',
        'Registration is not by invitation. Change that first.',
      ],
      503: [texts.mailFailed],
    }),
  }),
  withdrawInvitation: defineRoute({
    id: 'ADD-withdraw-invitation',
    method: 'POST',
    path: '/invitations/{id}/withdraw',
    summary: 'Makes the code of an open invitation worthless.',
    access: admin,
    params: z.object({ id }),
    reply: z.object({ status: z.string() }),
    errors: joinTexts(needsAdmin, { 409: ['The invitation is not open'] }),
  }),
} as const;
