import type { CallInput, CallReply } from '#contract/client.ts';
import { changeableSettings, settingsTexts } from '#contract/installation.ts';
import { firstIssue } from '../ui/first-issue.ts';

/** The settings of the installation as they were loaded. */
export type Settings = CallReply<'getInstallation'>;

/** What a person has entered and not saved: only the fields that were touched. Times are text, in minutes and in hours. */
export type Draft = Partial<
  Pick<Settings, 'require_2fa' | 'registration' | 'shared_bot_list' | 'sender_name' | 'sender_address'> & { idle: string; life: string }
>;

/** A field of the form. */
export type DraftField = keyof Draft;

/** What the form shows: what was entered, else what was loaded. */
export function shownSettings(settings: Settings, draft: Draft): Required<Draft> {
  return { ...fieldsOf(settings), ...draft };
}

/** The draft with another value; the value that was loaded takes the field out of it. */
export function withField<Field extends DraftField>(settings: Settings, draft: Draft, field: Field, value: Required<Draft>[Field]): Draft {
  const { [field]: _, ...others } = draft;
  return fieldsOf(settings)[field] === value ? others : { ...others, [field]: value };
}

/** The fields of a draft that differ from what was loaded, in the order of the form. */
export function changedFields(settings: Settings, draft: Draft): DraftField[] {
  const loaded = fieldsOf(settings);
  return (Object.keys(loaded) as DraftField[]).filter((field) => draft[field] !== undefined && draft[field] !== loaded[field]);
}

/** A pending change as the bar names it. */
export interface NamedChange {
  field: DraftField;
  name: string;
  from: string;
  to: string;
}

/** The pending changes in words. */
export function namedChanges(settings: Settings, draft: Draft): NamedChange[] {
  const [from, to] = [fieldsOf(settings), shownSettings(settings, draft)];
  return changedFields(settings, draft).map((field) => ({
    field,
    name: fieldNames[field],
    from: valueText(field, from[field]),
    to: valueText(field, to[field]),
  }));
}

type Changes = Omit<CallInput<'changeInstallation'>['body'], 'version'>;

/** The pending changes as the call takes them. */
export function changesOf(settings: Settings, draft: Draft): Changes {
  const pending = Object.fromEntries(changedFields(settings, draft).map((field) => [field, draft[field]])) as Draft;
  const { idle, life, ...others } = pending;
  return {
    ...others,
    ...(idle === undefined ? {} : { session_idle_minutes: minutesOf(idle, 1) }),
    ...(life === undefined ? {} : { session_life_minutes: minutesOf(life, 60) }),
  };
}

/** The first check that fails, with its field; null when the draft can be saved. */
export function draftIssue(settings: Settings, draft: Draft): { field: DraftField; text: string } | null {
  const changes = changesOf(settings, draft);
  const issue = firstIssue(changeableSettings.partial(), changes);
  if (issue !== null) return { text: issue.text, field: fieldOf[issue.field] ?? (issue.field as DraftField) };
  const idle = changes.session_idle_minutes ?? settings.session_idle_minutes;
  const life = changes.session_life_minutes ?? settings.session_life_minutes;
  return idle > life ? { field: changes.session_idle_minutes === undefined ? 'life' : 'idle', text: settingsTexts.idleTooLong } : null;
}

/** What saving does to people who are signed in, a sentence each; nothing for changes that reach nobody. */
export function consequences(settings: Settings, draft: Draft): string[] {
  const changes = changesOf(settings, draft);
  const rule = changes.require_2fa ?? 'off';
  const lacking = rule === 'off' ? 0 : settings.without_2fa[rule];
  const { session_life_minutes: life = settings.session_life_minutes } = changes;
  return [
    ...(lacking === 0
      ? []
      : [
          `${lacking} ${lacking === 1 ? 'account has' : 'accounts have'} no 2FA and will be signed out. The next sign-in asks for a mailed code and switches 2FA on.`,
        ]),
    ...(life < settings.session_life_minutes ? [`Everybody who signed in more than ${life / 60} h ago will be signed out, you too.`] : []),
  ];
}

/** The words of each choice. */
export const choiceTexts = {
  require_2fa: { off: 'Nobody', admins: 'Admins', all: 'All accounts' },
  registration: { open: 'Everybody', invitation: 'People with an invitation', closed: 'Nobody' },
  shared_bot_list: { true: 'All bots', false: 'Their own bots' },
} as const;

const fieldNames: Readonly<Record<DraftField, string>> = {
  require_2fa: 'Require 2FA for',
  idle: 'Idle time',
  life: 'Session length',
  registration: 'May sign up',
  shared_bot_list: 'Traders see',
  sender_name: 'Sender name',
  sender_address: 'Sender address',
};

const fieldOf: Readonly<Record<string, DraftField>> = { session_idle_minutes: 'idle', session_life_minutes: 'life' };

function fieldsOf(settings: Settings): Required<Draft> {
  return {
    require_2fa: settings.require_2fa,
    idle: String(settings.session_idle_minutes),
    life: String(settings.session_life_minutes / 60),
    registration: settings.registration,
    shared_bot_list: settings.shared_bot_list,
    sender_name: settings.sender_name,
    sender_address: settings.sender_address,
  };
}

/** Whole minutes; text that is not a number gives one that every check refuses. */
function minutesOf(text: string, each: number): number {
  return text.trim() === '' ? -1 : Math.round(Number(text) * each);
}

function valueText(field: DraftField, value: string | boolean): string {
  if (field === 'idle') return `${String(value)} min`;
  if (field === 'life') return `${String(value)} h`;
  if (field === 'sender_name' || field === 'sender_address') return value === '' ? 'default' : String(value);
  return (choiceTexts[field] as Readonly<Record<string, string>>)[String(value)] ?? String(value);
}
