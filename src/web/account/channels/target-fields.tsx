import { channelKinds } from '#contract/channels.ts';
import { PasswordInput, TextInput } from '@mantine/core';
import { SelectBox } from '../../ui/select-box.tsx';
import { browserObstacle } from './browser-subscription.ts';
import type { TargetDraft } from './channel-draft.ts';
import { kindHints, kindNames } from './channel-words.ts';

/** See `TargetFields`. */
export interface TargetFieldsProps {
  target: TargetDraft;
  onChange: (changes: Partial<TargetDraft>) => void;
}

const placeholders: Readonly<Record<TargetDraft['kind'], string>> = {
  telegram: '',
  discord: 'https://discord.com/api/webhooks/...',
  slack: 'https://hooks.slack.com/services/...',
  ntfy: 'https://ntfy.sh/my-topic',
  webhook: 'https://hooks.my-domain.com/flotilla',
  browser: '',
};

/** Where a new channel leads: the service, and what it takes to send there. */
export function TargetFields({ target, onChange }: TargetFieldsProps) {
  const { kind, address, token, chat } = target;
  return (
    <>
      <SelectBox
        label="Service"
        options={channelKinds.map((value) => ({ value, label: value === 'browser' ? 'This browser' : kindNames[value] }))}
        value={kind}
        onChange={(value) => onChange({ kind: value, address: '', token: '', chat: '' })}
        hint={(kind === 'browser' ? browserObstacle() : null) ?? kindHints[kind]}
      />
      {kind === 'telegram' ? (
        <>
          <Hidden label="Bot token" value={token} onChange={(value) => onChange({ token: value })} />
          <TextInput
            label="Chat"
            placeholder="-1001234567890 or @my_channel"
            autoComplete="off"
            spellCheck={false}
            value={chat}
            onChange={(event) => onChange({ chat: event.currentTarget.value })}
          />
        </>
      ) : kind === 'browser' ? null : (
        <TextInput
          label="Address"
          placeholder={placeholders[kind]}
          autoComplete="off"
          spellCheck={false}
          value={address}
          onChange={(event) => onChange({ address: event.currentTarget.value })}
        />
      )}
      {kind === 'ntfy' ? (
        <Hidden label="Access token, where the topic needs one" value={token} onChange={(value) => onChange({ token: value })} />
      ) : null}
    </>
  );
}

function Hidden({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  return (
    <PasswordInput
      label={label}
      autoComplete="new-password"
      size="sm"
      value={value}
      visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the token', tabIndex: 0 }}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
