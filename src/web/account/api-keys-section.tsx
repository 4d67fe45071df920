import { Skeleton } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { cancelledText, isAbort } from '../live/until-aborted.ts';
import { useSending } from '../live/use-sending.ts';
import { reasonOf } from '../session/login-flow.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { AccountSection } from './account-section.tsx';
import { AddApiKey } from './add-api-key.tsx';
import { checkText, usageText } from './api-key-text.ts';
import type { Reports } from './section-reports.ts';
import { type OwnApiKey, useApiKeys } from '../api/use-api-keys.ts';

/** The person's keys of exchanges: added, tested and deleted here. */
export function ApiKeysSection({ onSaved, onFailed }: Reports) {
  const { data, isError, error, refetch } = useApiKeys();
  const [isAdding, setAdding] = useState(false);
  const [deleting, setDeleting] = useState<OwnApiKey | null>(null);
  const [busy, setBusy] = useState<string | null>(null); // id of the key that something is done with
  const sending = useSending();

  const act = async (id: string, failureText: string, call: () => Promise<void>) => {
    onFailed(null);
    setBusy(id);
    try {
      await call();
    } catch (failed) {
      onFailed(
        isAbort(failed)
          ? { text: `${cancelledText} The key may be deleted already: check the list.`, detail: null }
          : { text: failureText, detail: reasonOf(failed) },
      );
    }
    await refetch();
    setBusy(null);
  };
  const test = ({ id }: OwnApiKey) =>
    act(id, 'Failed to test the API key', async () => {
      await api.testApiKey({ params: { id } });
    });
  const remove = ({ id }: OwnApiKey) =>
    act(id, 'Failed to delete the API key', async () => {
      try {
        await sending.send((signal) => api.deleteApiKey({ params: { id } }, { signal }));
        onSaved();
      } finally {
        setDeleting(null);
      }
    });

  return (
    <AccountSection title="API Keys">
      <div className="account-section">
        {isError ? <Banner tone="error" text="Failed to load API keys. Please try again." detail={reasonOf(error)} /> : null}
        {data === undefined && !isError ? <Skeleton height={44} aria-label="Loading API keys" role="status" /> : null}
        {data?.length === 0 ? (
          <p className="account-hint">A bot needs a key of its exchange to trade with real money. There is none yet.</p>
        ) : null}
        {data === undefined || data.length === 0 ? null : (
          <ul className="account-rows" aria-label="API Keys">
            {data.map((key) => (
              <KeyRow key={key.id} apiKey={key} busy={busy} onTest={() => void test(key)} onDelete={() => setDeleting(key)} />
            ))}
          </ul>
        )}
        <div className="account-buttons">
          <Button variant="secondary" icon={<IconPlus size={14} aria-hidden />} onClick={() => setAdding(true)}>
            Add Key
          </Button>
        </div>
      </div>
      <AddApiKey
        opened={isAdding}
        onAdded={() => {
          setAdding(false);
          onSaved();
          void refetch();
        }}
        onClose={() => {
          setAdding(false);
          void refetch();
        }}
      />
      <ConfirmDialog
        opened={deleting !== null}
        title="Delete API Key"
        message={
          deleting === null ? '' : `Delete ${nameOf(deleting)}? It stays valid at ${deleting.exchange_name} until it is deleted there too.`
        }
        confirmLabel="Delete"
        destructive
        loading={busy !== null}
        onConfirm={() => {
          if (deleting !== null) void remove(deleting);
        }}
        onCancel={() => {
          sending.cancel();
          setDeleting(null);
        }}
      />
    </AccountSection>
  );
}

const nameOf = ({ label, exchange_name, key_hint }: OwnApiKey): string =>
  label === null ? `${exchange_name} ****${key_hint}` : `${label}, ${exchange_name} ****${key_hint}`;

interface KeyRowProps {
  apiKey: OwnApiKey;
  busy: string | null;
  onTest: () => void;
  onDelete: () => void;
}

function KeyRow({ apiKey, busy, onTest, onDelete }: KeyRowProps) {
  const check = checkText(apiKey);
  const isLive = apiKey.bots.some(({ mode }) => mode === 'live');
  const name = nameOf(apiKey);
  return (
    <li className="account-row">
      <div className="account-row-text">
        <span>{name}</span>
        <span className={`account-key-${check.tone}`}>{check.text}</span>
        <span className="account-hint">{usageText(apiKey)}</span>
      </div>
      <div className="account-buttons">
        <Button
          variant="secondary"
          loading={busy === apiKey.id && !apiKey.is_checking}
          disabled={apiKey.is_checking || (busy !== null && busy !== apiKey.id)}
          aria-label={`Test ${name}`}
          onClick={onTest}
        >
          Test
        </Button>
        <Button
          variant="secondary"
          disabled={busy !== null || isLive}
          {...(isLive ? { title: 'A live bot trades with this key. Switch it to paper first.' } : {})}
          aria-label={`Delete ${name}`}
          onClick={onDelete}
        >
          Delete
        </Button>
      </div>
    </li>
  );
}
