import { TextInput } from '@mantine/core';
import { IconEye, IconEyeOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { CardPanel } from '../ui/card-panel.tsx';
import { wasText } from './fields.tsx';
import type { FormPart } from './form-part.ts';
import { fieldNames } from './strategy-draft.ts';

/** Where trades are reported to; masked, because who has the address or the key can write there. */
export function IntegrationsSection({ part, belowWebhook, belowKey }: { part: FormPart; belowWebhook: ReactNode; belowKey: ReactNode }) {
  return (
    <CardPanel title="External Integrations" aside="on every opened and closed trade">
      <div className="strategy-secrets">
        <div>
          <SecretField part={part} name="encrypted_webhook" hint="Address of a chat that takes messages" />
          {belowWebhook}
        </div>
        <div>
          <SecretField part={part} name="encrypted_sheets_key" hint="Address of a Google spreadsheet, or its key" />
          {belowKey}
        </div>
      </div>
    </CardPanel>
  );
}

function SecretField({ part, name, hint }: { part: FormPart; name: 'encrypted_webhook' | 'encrypted_sheets_key'; hint: string }) {
  const { shown, readOnly, isBusy, issue, onChange } = part;
  const [isShown, setShown] = useState(false);
  const label = fieldNames[name];
  const Icon = isShown ? IconEyeOff : IconEye;
  return (
    <div className="strategy-secret">
      <TextInput
        label={label}
        type={isShown ? 'text' : 'password'}
        autoComplete="off"
        spellCheck={false}
        value={shown[name]}
        placeholder={readOnly ? 'only admins see it' : 'none'}
        readOnly={readOnly}
        disabled={isBusy}
        className="strategy-field"
        wrapperProps={{ 'data-changed': part.changed.has(name) || undefined }}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        description={wasText(part, name) ?? hint}
        error={issue?.field === name ? issue.text : null}
        onChange={(event) => onChange(name, event.currentTarget.value)}
      />
      {readOnly ? null : (
        <Button
          variant="secondary"
          icon={<Icon size={14} aria-hidden />}
          aria-label={`${isShown ? 'Hide' : 'Show'} ${label}`}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? 'Hide' : 'Show'}
        </Button>
      )}
    </div>
  );
}
