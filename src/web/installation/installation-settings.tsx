import './installation.css';
import { useState } from 'react';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { LoadingRows } from '../ui/skeleton.tsx';
import { SaveBar } from '../ui/save-bar.tsx';
import { setDraft, useDraft } from './draft-store.ts';
import { Invitations } from './invitations.tsx';
import { AccountsCard, MailCard, SignInCard } from './setting-cards.tsx';
import type { DraftField, Settings } from './settings-draft.ts';
import { consequences, draftIssue, namedChanges, withField } from './settings-draft.ts';
import type { InstallationState } from './use-installation.ts';
import { useInstallation } from './use-installation.ts';

/** What admins set for the whole installation, and the invitations they have mailed. */
export function InstallationSettings() {
  const state = useInstallation();
  const { settings, loadFailure } = state;
  return (
    <div className="inst">
      <h1 className="fl-visually-hidden">Installation</h1>
      {loadFailure === null ? null : (
        <div className="inst-failure">
          <Banner tone="error" text="Failed to load the settings. Please try again." detail={loadFailure.detail} />
          <Button variant="secondary" loading={state.isLoading} onClick={() => void state.reload()}>
            Try Again
          </Button>
        </div>
      )}
      {settings === undefined ? (
        loadFailure === null ? (
          <LoadingRows label="Loading settings" rows={6} height={56} />
        ) : null
      ) : (
        <>
          <Form settings={settings} state={state} />
          <Invitations registration={settings.registration} />
        </>
      )}
    </div>
  );
}

function Form({ settings, state }: { settings: Settings; state: InstallationState }) {
  const draft = useDraft();
  const [isChecked, setChecked] = useState(false); // from the first try to save on, faults are shown as they are typed
  const [isAsking, setAsking] = useState(false);
  const changes = namedChanges(settings, draft);
  const effects = consequences(settings, draft);
  const issue = isChecked ? draftIssue(settings, draft) : null;
  const { saveFailure, isSaving } = state;

  const save = async () => {
    setAsking(false);
    await state.save(settings, draft);
    setChecked(false);
  };
  const tryToSave = () => {
    setChecked(true);
    if (draftIssue(settings, draft) !== null) return;
    if (effects.length > 0) setAsking(true);
    else void save();
  };
  const card = {
    settings,
    draft,
    issue,
    isBusy: isSaving,
    onChange<Field extends DraftField>(field: Field, value: Parameters<typeof withField<Field>>[3]) {
      setDraft(withField(settings, draft, field, value));
    },
  };
  return (
    <>
      <div className="inst-cards">
        <SignInCard {...card} />
        <AccountsCard {...card} />
        <MailCard {...card} />
      </div>
      {saveFailure === null ? null : (
        <div className="inst-failure">
          <Banner tone="error" text="The settings were not saved." detail={saveFailure.detail} />
          {saveFailure.isStale ? (
            <Button variant="secondary" loading={state.isLoading} onClick={() => void state.reload()}>
              Reload
            </Button>
          ) : null}
        </div>
      )}
      {changes.length === 0 ? null : (
        <SaveBar
          changes={changes.map(({ field, ...change }) => ({ key: field, ...change }))}
          isBusy={isSaving}
          onDiscard={() => {
            setDraft({});
            setChecked(false);
            state.clearFailure();
          }}
          onSave={tryToSave}
        />
      )}
      <ConfirmDialog
        opened={isAsking}
        title="Save Changes"
        message="Are you sure you want to save these settings?"
        confirmLabel="Save Changes"
        onConfirm={() => void save()}
        onCancel={() => setAsking(false)}
      >
        {effects.map((sentence) => (
          <p key={sentence} className="inst-effect">
            {sentence}
          </p>
        ))}
      </ConfirmDialog>
    </>
  );
}
