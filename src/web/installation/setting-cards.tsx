import { NumberInput, TextInput } from '@mantine/core';
import { sessionLimits } from '#contract/installation.ts';
import { CardPanel } from '../ui/card-panel.tsx';
import { SelectBox } from '../ui/select-box.tsx';
import { SettingRow } from './setting-row.tsx';
import type { Draft, DraftField, Settings } from './settings-draft.ts';
import { choiceTexts, shownSettings } from './settings-draft.ts';

/** What every card of settings is given. */
export interface SettingCardProps {
  settings: Settings;
  draft: Draft;
  issue: { field: DraftField; text: string } | null;
  isBusy: boolean;
  onChange: <Field extends DraftField>(field: Field, value: Required<Draft>[Field]) => void;
}

/** Who needs a second factor, and how long sessions last. */
export function SignInCard({ settings, draft, issue, isBusy, onChange }: SettingCardProps) {
  const shown = shownSettings(settings, draft);
  const { admins, all } = settings.without_2fa;
  return (
    <CardPanel title="Sign-In" flush>
      <SettingRow
        label="Require 2FA for"
        hint={`Beside the password, every sign-in takes a mailed code, a code of an app or a passkey. Without 2FA now: ${counted(all, 'account')}, of these ${counted(admins, 'admin')}.`}
      >
        <SelectBox
          label="Require 2FA for"
          hideLabel
          options={optionsOf(choiceTexts.require_2fa)}
          value={shown.require_2fa}
          disabled={isBusy}
          onChange={(value) => onChange('require_2fa', value)}
        />
      </SettingRow>
      <SettingRow
        label="Idle time"
        hint="A session that is not used for this long ends. An open page counts as use, also when nobody sits at it. 15 minutes to 24 hours."
      >
        <NumberInput
          size="xs"
          aria-label="Idle time"
          value={shown.idle}
          suffix=" min"
          min={sessionLimits.idle.min}
          max={sessionLimits.idle.max}
          clampBehavior="none"
          step={15}
          disabled={isBusy}
          error={issue?.field === 'idle' ? issue.text : null}
          onChange={(value) => onChange('idle', String(value))}
        />
      </SettingRow>
      <SettingRow label="Session length" hint="Every session ends after this time, used or not. 1 hour to 30 days (720 h).">
        <NumberInput
          size="xs"
          aria-label="Session length"
          value={shown.life}
          suffix=" h"
          min={sessionLimits.life.min / 60}
          max={sessionLimits.life.max / 60}
          clampBehavior="none"
          disabled={isBusy}
          error={issue?.field === 'life' ? issue.text : null}
          onChange={(value) => onChange('life', String(value))}
        />
      </SettingRow>
    </CardPanel>
  );
}

/** Who may make an account, and which bots traders see. */
export function AccountsCard({ settings, draft, isBusy, onChange }: SettingCardProps) {
  const shown = shownSettings(settings, draft);
  return (
    <CardPanel title="Accounts and Bots" flush>
      <SettingRow label="May sign up" hint={registrationHints[shown.registration]}>
        <SelectBox
          label="May sign up"
          hideLabel
          options={optionsOf(choiceTexts.registration)}
          value={shown.registration}
          disabled={isBusy}
          onChange={(value) => onChange('registration', value)}
        />
      </SettingRow>
      <SettingRow
        label="Traders see"
        hint="In their list of bots. Those of others show no full e-mail address and cannot be opened. Other roles always see all bots."
      >
        <SelectBox
          label="Traders see"
          hideLabel
          options={optionsOf(choiceTexts.shared_bot_list)}
          value={shown.shared_bot_list ? 'true' : 'false'}
          disabled={isBusy}
          onChange={(value) => onChange('shared_bot_list', value === 'true')}
        />
      </SettingRow>
    </CardPanel>
  );
}

/** Who mails come from. */
export function MailCard({ settings, draft, issue, isBusy, onChange }: SettingCardProps) {
  const shown = shownSettings(settings, draft);
  const { name, address } = settings.sender;
  const errorOf = (field: DraftField) => (issue?.field === field ? issue.text : null);
  return (
    <CardPanel
      title="Mail"
      flush
      aside={
        <span className="inst-break">
          mails come from {name} &lt;{address}&gt;
        </span>
      }
    >
      <div className="inst-pair">
        <SettingRow label="Sender name" hint="What people see instead of the address. Empty: the server's own.">
          <TextInput
            aria-label="Sender name"
            value={shown.sender_name}
            placeholder="default"
            disabled={isBusy}
            error={errorOf('sender_name')}
            onChange={(event) => onChange('sender_name', event.currentTarget.value)}
          />
        </SettingRow>
        <SettingRow label="Sender address" hint="Your mail server must accept it. Empty: the server's own.">
          <TextInput
            aria-label="Sender address"
            type="email"
            value={shown.sender_address}
            placeholder="default"
            disabled={isBusy}
            error={errorOf('sender_address')}
            onChange={(event) => onChange('sender_address', event.currentTarget.value.trim())}
          />
        </SettingRow>
      </div>
    </CardPanel>
  );
}

const registrationHints = {
  open: 'Anybody who reaches the sign-up page can make a trader account.',
  invitation: 'An account needs a code that an admin has mailed to its address.',
  closed: 'The sign-up page makes no accounts. Those that exist are not affected.',
} as const;

function optionsOf<const Texts extends Readonly<Record<string, string>>>(texts: Texts): { value: keyof Texts & string; label: string }[] {
  return Object.entries(texts).map(([value, label]) => ({ value, label }));
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
