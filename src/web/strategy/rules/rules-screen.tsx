import './rules.css';
import type { RulesDocument } from '#engine/rules/document.ts';
import { IconListCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useEffect, useState } from 'react';
import { changeAddress, useAddressValue } from '../../address/address.ts';
import { ApiError, messageOf } from '../../api/api-error.ts';
import { canCreateBots } from '../../session/permissions.ts';
import { useUser } from '../../session/use-session.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { FailedLoad } from '../../ui/failed-load.tsx';
import { LoadingRows } from '../../ui/skeleton.tsx';
import { showToast } from '../../ui/toast.ts';
import { useCopiedText } from '../../ui/use-copied-text.ts';
import { beginDraft, dropDraft, isNewKey, noteSaved, openDrafts, useDrafts, useDraftsOwner } from './drafts/drafts-store.ts';
import { textOfDocument } from './edit/document-text.ts';
import { PasteDialog } from './paste-dialog.tsx';
import { ReplayDeskContext, useNewReplayDesk } from './replay/replay-desk.ts';
import type { Market, MarketOffer } from './replay/use-market.ts';
import { useMarket } from './replay/use-market.ts';
import type { ListedRules } from './rules-list.tsx';
import { listedRules, RulesList, RulesPicker } from './rules-list.tsx';
import { RulesStart } from './start/rules-start.tsx';
import type { RulesState, RuleStrategy } from './use-rules.ts';
import { useRules } from './use-rules.ts';
import { type DraftFaults, RulesSaveBar } from './workspace/rules-save-bar.tsx';
import { RulesWorkspace } from './workspace/rules-workspace.tsx';
import type { RulesActions } from './workspace/title-bar.tsx';
import { TitleBar } from './workspace/title-bar.tsx';
import type { OpenRules } from './workspace/use-rules-draft.ts';
import { useRulesDraft } from './workspace/use-rules-draft.ts';
import { VersionsDialog } from './workspace/versions-dialog.tsx';

/** Opens the form of a new bot with a strategy, on the market it was looked at; null where none was. */
export type UseForBot = (strategyId: string, market: Pick<Market, 'exchangeId' | 'tradingMode' | 'symbol'> | null) => void;

/** Where `strategy` of the address names no rules: those to start from. */
const startKey = 'new';

/** Strategies as rules: made on the screen, and seen at once on stored candles. */
export function RulesScreen({ onUseForBot }: { onUseForBot: UseForBot }) {
  const user = useUser();
  const userId = user?.userId ?? '';
  const owner = useDraftsOwner();
  useEffect(() => openDrafts(userId), [userId]);
  const state = useRules();
  const { rules, error, isLoading, reload } = state;
  const { desk, isBroken, retry } = useNewReplayDesk();
  // What was edited at an earlier visit is there before anything is shown.
  if (rules === undefined || owner !== userId)
    return (
      <div className="rules">
        <h1 className="fl-visually-hidden">Rules</h1>
        {rules !== undefined || error === null || isLoading ? (
          <div className="fl-panel">
            <LoadingRows label="Loading rules" rows={8} height={44} />
          </div>
        ) : (
          <FailedLoad text="The rules could not be loaded." detail={error} isLoading={isLoading} onRetry={() => void reload()} />
        )}
      </div>
    );
  return (
    <ReplayDeskContext value={desk}>
      <div className="rules">
        <Chosen state={state} rules={rules} isBroken={isBroken} onRetry={retry} onUseForBot={onUseForBot} />
      </div>
    </ReplayDeskContext>
  );
}

interface ChosenProps {
  state: RulesState;
  rules: readonly RuleStrategy[];
  isBroken: boolean;
  onRetry: () => void;
  onUseForBot: UseForBot;
}

function Chosen({ state, rules, isBroken, onRetry, onUseForBot }: ChosenProps) {
  const user = useUser();
  const mayMake = canCreateBots(user);
  const drafts = useDrafts();
  const offer = useMarket();
  const [isPasting, setPasting] = useState(false);
  const asked = useAddressValue('strategy');
  const listed = listedRules(rules, mayMake ? drafts : noDrafts);
  const own = listed.filter(({ group }) => group === 'own');
  const first = own[0] ?? (mayMake ? undefined : listed[0]);
  const key = asked === startKey ? startKey : (listed.find((each) => each.key === asked)?.key ?? first?.key ?? startKey);
  const begin = (document: RulesDocument) => {
    setPasting(false);
    openRules(beginDraft(withFreeName(document, listed)));
  };
  const paste = <PasteDialog opened={isPasting} onPaste={begin} onClose={() => setPasting(false)} />;
  if (key === startKey && !mayMake)
    return (
      <div className="fl-panel">
        <EmptyState
          icon={<IconListCheck size={22} />}
          text="No rules to show"
          hint="Traders make rules here. You see those that are shared with everybody, and those of bots that you may see."
          minHeight={240}
        />
      </div>
    );
  if (key === startKey)
    return (
      <>
        <RulesStart
          shared={rules.filter(({ is_shared: isShared, is_own: isOwn }) => isShared && !isOwn)}
          hasOwn={own.length > 0}
          offer={offer}
          onBegin={begin}
          onPaste={() => setPasting(true)}
          onBack={() => openRules(own[0]?.key ?? null)}
        />
        {paste}
      </>
    );
  const list = { listed, chosen: key, mayMake, onChoose: openRules, onNew: () => openRules(startKey) };
  return (
    <>
      <Opened
        key={key}
        rulesKey={key}
        strategy={rules.find(({ id }) => id === key) ?? null}
        state={state}
        offer={offer}
        isBroken={isBroken}
        onRetry={onRetry}
        onUseForBot={onUseForBot}
        onBegin={begin}
        picker={<RulesPicker {...list} />}
        list={<RulesList {...list} onPaste={() => setPasting(true)} />}
      />
      {paste}
    </>
  );
}

const noDrafts = new Map<never, never>();

function openRules(key: string | null): void {
  changeAddress({ strategy: key });
}

/** The document under a name that none of the list has: two of the same name are taken for each other. */
function withFreeName(document: RulesDocument, listed: readonly ListedRules[]): RulesDocument {
  const names = new Set(listed.map(({ name }) => name));
  if (!names.has(document.title)) return document;
  for (let i = 2; ; i++) {
    const title = `${document.title.slice(0, 74)} (${i})`;
    if (!names.has(title)) return { ...document, title };
  }
}

interface OpenedProps {
  rulesKey: string;
  strategy: RuleStrategy | null;
  state: RulesState;
  offer: MarketOffer;
  isBroken: boolean;
  onRetry: () => void;
  onUseForBot: UseForBot;
  onBegin: (document: RulesDocument) => void;
  picker: ReactNode;
  list: ReactNode;
}

function Opened(props: OpenedProps) {
  const rules = useRulesDraft(props.rulesKey, props.strategy);
  if (rules === null)
    return (
      <div className="rules-layout">
        {props.list}
        <div className="fl-panel">
          <EmptyState
            icon={<IconListCheck size={22} />}
            text="These rules cannot be read"
            hint="Another version of the program has written them."
            minHeight={240}
          />
        </div>
      </div>
    );
  return <OpenedRules {...props} rules={rules} />;
}

function OpenedRules({
  rules,
  strategy,
  state,
  offer,
  isBroken,
  onRetry,
  onUseForBot,
  onBegin,
  picker,
  list,
}: OpenedProps & { rules: OpenRules }) {
  const { key, document } = rules;
  const [note, copyText] = useCopiedText();
  const [isBusy, setBusy] = useState(false);
  const [asksRemoval, setAsksRemoval] = useState(false);
  const [showsVersions, setShowsVersions] = useState(false);
  const [faults, setFaults] = useState<DraftFaults>({ count: 0, whole: '' });
  const attempt = async (what: string, act: () => Promise<void>) => {
    setBusy(true);
    try {
      await act();
    } catch (error) {
      showToast('error', what, messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  const remove = async () => {
    setAsksRemoval(false);
    if (strategy === null) {
      dropDraft(key);
      changeAddress({ strategy: null }, 'replace');
      return;
    }
    await attempt('The rules were not removed', async () => {
      await state.remove(strategy.id);
      dropDraft(key);
      changeAddress({ strategy: null }, 'replace');
      showToast('success', `${strategy.name} was removed`);
    });
  };
  const actions: RulesActions = {
    copyText: () => copyText(textOfDocument(document)),
    share: (isShared) =>
      void attempt(isShared ? 'The rules were not shared' : 'The rules are still shared', async () => {
        if (strategy === null) return;
        await state.share(strategy.id, isShared);
        showToast('success', isShared ? 'Everybody can see and use these rules now' : 'Only you and admins see these rules now');
      }),
    copy: () => onBegin(document),
    remove: () => setAsksRemoval(true),
    useForBot: () => {
      if (strategy !== null) onUseForBot(strategy.id, offer.market);
    },
    showVersions: () => setShowsVersions(true),
  };
  const save = async () => {
    if (strategy === null) {
      const made = await state.make(document);
      noteSaved(key, { key: made.id, document, version: made.version });
      changeAddress({ strategy: made.id }, 'replace');
      showToast('success', `${made.name} is saved, for you alone`);
      return;
    }
    try {
      const saved = await state.save(strategy.id, document, rules.basedOn ?? strategy.version);
      noteSaved(key, { key, document, version: saved.version });
      showToast('success', `Saved as version ${saved.version}`);
    } catch (error) {
      // Somebody has saved meanwhile: what they saved is shown beside what is not saved here.
      if (error instanceof ApiError && error.status === 409) await state.reload();
      throw error;
    }
  };
  return (
    <>
      <div className="rules-head">
        {picker}
        <TitleBar rules={rules} actions={actions} isBusy={isBusy} note={note} />
      </div>
      <div className="rules-layout">
        {list}
        <RulesWorkspace rules={rules} state={state} offer={offer} isBroken={isBroken} onRetry={onRetry} onFaults={setFaults} />
        <RulesSaveBar
          rules={rules}
          faults={faults}
          onSave={save}
          onDiscard={() => {
            dropDraft(key);
            if (isNewKey(key)) changeAddress({ strategy: null }, 'replace');
          }}
        />
      </div>
      <ConfirmDialog
        opened={asksRemoval}
        title={strategy === null ? 'Discard Rules' : 'Remove Rules'}
        message={
          strategy === null
            ? `Discard ${document.title}? It was never saved.`
            : `Remove ${strategy.name} from all lists? Its backtests and old trades keep its name.`
        }
        confirmLabel={strategy === null ? 'Discard' : 'Remove'}
        destructive
        loading={isBusy}
        onConfirm={() => void remove()}
        onCancel={() => setAsksRemoval(false)}
      />
      {strategy === null ? null : (
        <VersionsDialog
          strategy={strategy}
          opened={showsVersions}
          readOnly={rules.readOnly}
          onClose={() => setShowsVersions(false)}
          onRestore={(earlier, version) => {
            rules.edit(earlier, `version ${version}`);
            setShowsVersions(false);
            showToast('success', `Version ${version} is a draft now: save it, or undo`);
          }}
        />
      )}
    </>
  );
}
