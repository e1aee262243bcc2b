// What an English clause looks like that says something was done (features.md D2). Rules of grammar with closed word
// lists, not a model: the check must not itself be talked into anything.

import type { Wanted } from './claim-context.ts'

/** Said before the statement, and no part of it. */
const openers =
  /^(?:(?:okay|ok|sure thing|sure|alright|all right|great news|great|good news|yes|yep|yeah|no problem|no worries|of course|certainly|absolutely|right away|right|there you go|here you go|you got it|got it|you bet|perfect|well|oh|hey|my pleasure|as you wish|as requested|then|and|so|now|just|there|excellent|lovely|cool|awesome|wonderful|nice)\b[ :-]*)+/

/** Verbs of knowing, wishing and being: their past is no deed with a thing of the house. */
const noDeeds =
  'tried|wanted|needed|asked|noticed|checked|looked|searched|heard|learned|liked|loved|enjoyed|hoped|believed|wondered|worried|received|failed|missed|called|named|based|located|supposed|designed|used|tired|pleased|delighted|excited|interested|confused|limited|allowed|connected|disconnected|required|bored|trained|programmed|mentioned|assumed|guessed|expected|waited|stayed|remembered|indeed|speed|need|exceed|proceed|agreed|compared|invented|included|concerned|related|recommended|suggested|preferred|died|happened|appeared|seemed|listed|installed|supported|refused|rejected|denied|feed|seed|hundred|sacred|wicked|naked|shared|ended|explained|answered|described|understood|timed|jammed|stalled|crashed|errored|bounced|aborted|overheated|rained'
const irregular =
  'set|shut|put|run|ran|made|sent|done|taken|took|begun|began|lit|cut|reset|rung|rang|brought|woken|fed|written|wrote|hung|spun|got it|rebuilt|built|kept'
const participle = `(?!(?:${noDeeds})\\b)(?:\\w{2,}ed|${irregular})`
const gerund =
  '(?:turn|switch|sett|chang|adjust|dimm|brighten|rais|lower|increas|decreas|reduc|open|clos|shutt|start|stopp|paus|resum|play|mut|unmut|lock|unlock|send|add|creat|schedul|sav|delet|remov|cancel|cancell|activat|deactivat|enabl|disabl|mov|power|water|cool|heat|warm|announc|snooz|queu|book|order|load|launch|dial|shar|skipp|put|runn|shuffl|record|reboot|restart|rais|roll|crank|bump|flipp|clear|updat|tak)ing'
const adverbs =
  '(?:(?:now|just|already|also|all|both|successfully|back|fully|currently|gone ahead and|went ahead and|gone and|went and|safely|finally|officially|completely|\\w+ly) )*'

/** Said as done, or as being done now, whatever it is about. The clause has no opener, comma or end mark. */
const claims: readonly RegExp[] = [
  new RegExp(`\\b(?:i|we)(?:'ve| have)? ${adverbs}${participle}\\b(?! up to| up here)`),
  new RegExp(`(?:\\b(?:has|have)|'s|'ve) ${adverbs}been ${adverbs}${participle}\\b`),
  new RegExp(`^your (?:\\w+ ){1,2}(?:was|were|got|is|are) ${adverbs}${participle}\\b(?! (?:by|in|at \\d))`),
  new RegExp(`\\b(?:is|are) ${adverbs}being ${adverbs}${participle}\\b`),
  /\b(?:i|we)(?:'ve| have)? (?:just |already |also )?(?:let \w+(?: \w+)? know|told (?:them|everyone|everybody|the|your)|gave)\b/,
  new RegExp(`^(?:successfully )?${participle}(?:$| (?!better|by |in |from ))`),
  new RegExp(`^(?:i'm |i am |we're )?(?:now )?${gerund}\\b(?! (?:helps?|is|are|takes?|costs?|saves?|means?))`),
  /^(?:all |both )?(?:done|set|finished|completed|sorted|handled)(?:$| (?:the|your|as|and|for|now) )/,
  /\b(?:it's|it is|that's|that is|all|consider it|consider that|everything's|everything is) (?:all )?(?:done|set|taken care of|sorted|handled|finished)\b/,
  /^(?!(?:i|you|he|she|they|who|an?|no|not|being) )(?:\w+ ){1,3}(?:taken|sent|added|saved|deleted|removed|started|stopped|opened|closed|locked|unlocked|muted|paused|cancelled|created)(?: (?:for you|now|successfully))?$/,
  /\b(?:has|have) (?:now |just |already )?had (?:its|their|his|her)\b/,
  /\b(?:up and running|taken care of|good to go|mission accomplished|job done|task (?:completed?|done))\b/,
  /^(?:it|they|that|everything|both|all of them)(?:'s|'re| is| are) (?:now |all |both |back )*(?:on|off|open|opened|closed|shut|set|locked|unlocked|muted|playing|running|ready|scheduled|booked|saved)(?:$| now| for you| for \d| at \d)/,
  /^\w+(?: \w+){0,2} ?(?:=|→|->) ?(?:on|off|open|closed|\d+)/,
  /^(?:the |your |my )?(?:\w+ ){0,2}\w+:? (?:on|off|out|open|closed|unlocked|locked)(?: now)?$/,
  /^(?:the|your|my) (?:\w+ ){1,2}(?:is|are|should be) (?:now |all )*(?:on|off|open|closed|set|locked|unlocked|muted|scheduled|playing|running|ready|booked|saved|in place)(?:$| now| for | at | to )/,
]

const states =
  'on|off|out|open|opened|closed|shut|glowing|shining|lit|bright|brighter|dim|dimmer|dark|darker|warmer|cooler|faster|slower|spinning|running|playing|muted|unmuted|silent|quiet|louder|quieter|set|ready|cooling|heating|blowing|stopped|started|locked|unlocked|red|green|blue|white|yellow|purple|orange|pink|up|down|half|full|\\d+'
const ongoing =
  '(?!missing|lacking|being|having|waiting|responding|going to|needing|interesting|boring|charming|amazing|using|saying|anything|something|nothing|everything|relaxing|annoying)\\w{2,}ing|active|live|armed|engaged|in progress|underway|under way|on its way|in place'
/** Whatever the talk is about: said of oneself, or of what the person has. */
const deeds = claims.slice(0, 5).filter((_, at) => at !== 1 && at !== 3)

/** Behind the name of a thing that a tool of this device is for, its state counts as a claim too. */
const stateBehind = new RegExp(
  `^s?(?! (?:tool|feature|function|request|command|permission|option|word)s?\\b)(?: \\w+){0,3}?(?::|'s| is| are| was| were| got| should (?:now )?be| shows?| went| goes| glows?| spins?| runs?) (?!a |an |one |made )(?:(?:\\w+) ){0,3}?(?:${states}|${participle}|${ongoing})\\b|^s?(?: has| have)?(?: just| now)? (?:turned|went|became|changed|switched|gone|dropped|risen) (?:(?:to|up|down) )*(?:${states})\\b|^s?(?: has| have| just| now)+ (?:started|begun|stopped|ended|resumed)\\b|^s?,? now (?:runs|spins|glows|plays|shines|blows|heats|cools|shows|reads|stands|sits)\\b` +
    `|^s?(?: (?:speed|level|brightness|temperature|volume|position))? (?:at|to|up to) \\d+|^s? (?:on|off|out|up|down|${participle})(?:$| now| for | at | to )`,
)

/** In front of that name: "eggs are now on your list". */
const placeBefore =
  /(?: is| are|'s|'re) (?:now |already |also |all )*(?:on|in|at the top of|part of) (?:your|the|my|our) (?:\w+ ){0,2}$/

/** Of another time than this turn. */
const passed =
  /\b(?:when|after|before|since) (?:you|we|i|they|he|she) (?:came|left|asked|went|got|woke|arrived|were|said|told|had)\b|\b(?:this morning|earlier today|earlier|at lunch|before lunch|previously|the other day|the last time|last checked|back then)\b|\bwhile ago\b/

/** What makes the whole clause no claim: failure, talk of others, of other times, of what is in general. */
const excuses: readonly RegExp[] = [
  /\?$/,
  /^(?:what|which|who|whose|how|when|where|why|is|are|do|does|did|have|has|shall|should|would|could|can|will|may) /,
  /^(?!.*\bfor you\b)(?:please |simply |always |never |try to )?(?:close|open|turn|switch|keep|make|use|try|say|ask|check|press|tell|start|stop|play|unplug|hold|wait|choose|pick|repeat|confirm|dim|lock|unlock|add|give|leave|let|remember|think|imagine|avoid|put|run) (?!is\b)/,
  /\b(?:not|n't|cannot|unable|fail(?:s|ed|ure)?|never|nothing|nobody|none|unfortunately|sorry(?! (?:for the (?:wait|delay)|it took|to keep))|refused|rejected|denied|forbidden|impossible|no longer|instead of|still)\b|n't\b|\bno (?:\w+ ){1,3}(?:has|have|is|are|was|were|to)\b|^no |'s no\b|\b(?:says|reports|reported|complains|claims|tells me) (?:that|its|it|the|there|no|an?)\b|\b(?:itself|themselves)\b|\b(?:sent|issued|passed on|forwarded) (?:the|a|your|that) (?:command|request|signal|instruction)s?\b|\bi(?:'ve| have) been\b|\bi was\b|\byou(?:'re| are) (?:a|an|right|welcome|so|very|too)\b|\b(?:timed out|jammed|stalled|crashed|errored|stuck|unplugged|unresponsive|offline)\b|\b(?:is|are) no\b|\b(?:tool|feature|function|option|permission|skill)s? (?:is|are|was|has been) (?:switched off|turned off|off|disabled|blocked|locked|restricted|limited)\b|\b(?:hope|hoping) (?:you|that|it)\b/,
  /\b(?:you|he|she|they|someone|somebody|people|users|everyone|teacher|mom|dad)(?:'ve| have| had|'s)? (?:just |already |also |yourself )*(?:turned|switched|set|changed|opened|closed|asked|said|told|left|locked|started|added)\b/,
  /\b(?:a|an|any|every|each|most|some) \w+s? (?:that|which|can|uses?|moves?|counts?|works?|makes?|gives?|(?:is|are) (?:a|an|called|used|made|often|usually))\b/,
  /^(?:the|this|that) (?:command|word|phrase|button|option|setting|sentence)\b/,
  new RegExp(
    `^${gerund} (?:\\w+ ){0,5}(?:keeps|lets|makes|gives|prevents|reduces|blocks|can|will|would|should|might|may)\\b`,
  ),
  new RegExp(`^${gerund}\\b.* (?:needs?|requires?|works?|takes?|costs?|saves?|helps?|means?|uses?|is|are) `),
  /\b(?:usually|normally|often|always|generally|yesterday|last (?:night|week|time|month|year)|in general|typically|used to|(?:hours?|days?|weeks?|months?|years?|long) ago|from \d+ to \d+|once upon|in \d{4}|invented|by (?:mr|mrs|[a-z]+ in)|story|studies|factory|default)\b/,
]

/** In front of the verb, these make it possible, wanted or due instead of done. */
const modals =
  /\b(?:can|could|would|should(?! (?:now )?be)|shall|may(?! \d)|might|will|must|need|needs|want|wants|like|able|going to|about to|ready to|please|try|let me|let's|to turn|to set|to switch|to unlock|to open|to close|how to|better|rather|instead)\b|'ll\b|'d\b/

/** Of things in general. */
const generic =
  /^(?:(?:an?|any|every|each|some|most|many|all) (?:\w+ )+?(?:is|are|was|were|prefer|use|make|turn|switch|help|come|work|need|end|reach|last|cover)(?:e?s)?\b(?! (?:now |all )?(?:set|running|off|open|closed|locked|out|on|ready|scheduled|added|created|playing|saved|booked|started))|maybe|perhaps|my guess|i (?:guess|think|suppose|believe)|in (?:the|a) (?:film|movie|story|book|song))/

const evident =
  /\b(?:has begun|have begun|has gone|is|are|was|were|be|now|on|off|up|down|in|at|set|open|closed|\w{3,}ed|\w{3,}ing)\b|'(?:s|re|ve)\b/

/** Limits, reasons and plans: what people hear instead of a deed. */
const reserves =
  /\b(?:wrong|tried|trying|try|attempt\w*|failed|command|only|range|highest|lowest|between|maximum|minimum|limit|most|least|too|at once|first|because|since|without|works?|supports?|takes?|means?|offers?|(?:has|have)(?! (?:begun|started|gone|now|just)\b)|a lot|quite|needs?|depends|connected|offline|reachable|closest|nearest|i've got|i have|within reach|in range|available|waiting|await|confirm|confirmation|permission|allowed|error|problem|trouble|issue|possible|uses?|about|which|what|how|where|sure what|do you|tell me|i heard|you said|you asked|you want|sounds|looks like|seems?|maybe|perhaps|probably|i think|i guess|hope|idea|great choice|good choice|nice choice|one moment|a moment|a second|hang on|hold on|working on|left .* alone|alone|as (?:it|they) (?:was|were)|unchanged|stays?|remains?|already|good (?:night|morning|bye)|joke|because|why|from \d+ to \d+|default)\b/

/** A clause under one of these is a condition or a time, and so is what follows from it. */
const conditions =
  /^(?:if|when|whenever|unless|until|once (?:you|the|it|i)|as soon as|before (?:i|you|we)|after you|in case|as long as|provided|whether)\b/
const subordinate =
  / (?:if|when|whenever|unless|until|once (?:you|it|i)|as soon as|before (?:i|you|we)|while (?:you|i|it|they)|as long as|in case|whether) .*$/

/** What a person is told to do goes on behind its "and". */
const advice =
  /^(?:please |simply |always |never |just )?(?:keep|make sure|use|try|check|avoid|leave|unplug|hold|press|wait|choose|remember|put on)\b/

const bareDeed = new RegExp(`^(?:${participle}|${gerund})\\b`)

/** Splits a lower-cased sentence into clauses that each say one thing; what hangs on a condition is left out. */
function clausesOf(sentence: string): string[] {
  const pieces = sentence
    .split(
      /;|,?\s+(?=(?:that|which|this|it|they) (?:should|will|would|might|may)\b)|\s[—–-]+\s|—|,?\s+\b(?:but|however|though|although)\b,?\s+|,\s+(?:and |so |which |because |or )?(?=(?:i|i'm|i've|i'll|you|we|they|they're|the|your|it|it's|let|just|anything|is|do|would|what|enjoy|nothing)\b)|\s+and (?=(?:turned|switched|set|opened|closed|started|stopped|dimmed|locked|unlocked|added|lowered|raised|paused|muted|played|put|turning|opening|closing|starting|stopping|setting|playing)\b)|\s+so (?:that )?(?=(?:you|it|i|that|they)\b)|\s+and (?=(?:i|you|we|the|your|it|let|please)\b)/,
    )
    .map((part) => part.replaceAll(',', '').trim())
    .filter(Boolean)
  // What can be done, and what else can: "I can turn it on and set its speed".
  const parts = pieces.filter(
    (piece, at) => !(bareDeed.test(piece) && (modals.test(pieces[at - 1] ?? '') || advice.test(pieces[at - 1] ?? ''))),
  )
  return parts.filter((part, at) => {
    const before = parts[at - 1] ?? ''
    return !isConditional(part) && !isConditional(before) && !(failure.test(before) && !/^(?:so )?i\b/.test(part))
  })
}

/** What follows a failure explains it. */
const failure =
  /\b(?:didn't|did not|couldn't|could not|can't|cannot|wasn't|weren't|failed|timed out|went wrong|unable|no response)\b/

function isConditional(clause: string): boolean {
  return conditions.test(clause.replace(openers, ''))
}

/** "I am sorry, the lamp is off": what follows an apology reports a failure. */
const apology = /\b(?:sorry(?! (?:for the (?:wait|delay)|it took|to keep))|unfortunately|afraid|apolog\w+)\b/

/** The clauses of one English sentence (lower case, with its end mark) that claim a deed or a state of `names`. */
export function englishClaims(sentence: string, wanted: Wanted<RegExp>): string[] {
  if (isApology(sentence) || isRecipe(sentence) || isOffer(sentence)) return []
  return clausesOf(sentence).filter((clause) => isClaim(clause, wanted))
}

/** The clauses that say how things are, without doubt, wish or question: their values may be compared. */
export function englishStatements(sentence: string): string[] {
  if (isApology(sentence)) return []
  return clausesOf(sentence).filter((clause) => {
    // What is promised for its time was set for that time.
    const bare = bareOf(clause)
      .replace(/^an? /, '')
      .replace(
        /\b(?:i|it|that)(?:'ll| will) (?=(?:remind|wake|ping|nudge|alert|ring|beep|call|let you know|buzz|stop|go off)\b)/,
        '',
      )
    return (
      !trouble.test(bare) &&
      !passed.test(clause) &&
      !modals.test(bare) &&
      !generic.test(bare) &&
      !excuses.some((excuse) => excuse.test(bare))
    )
  })
}

/** What went wrong says nothing of a value. */
const trouble = /\b(?:errors?|timed? ?out|offline|unreachable|went wrong|no (?:answer|response|reply))\b/

/** "Boil water, add the leaves, and it's done." */
function isRecipe(sentence: string): boolean {
  return /^(?:first,? |to begin,? |just |simply )*(?:boil|mix|stir|heat|chop|cut|pour|whisk|preheat|fold|cook|fry|bake|add|press|hold|take|wash|peel|soak|unplug|plug|tap|click|go|open the (?:app|settings)) [^.]{0,80}, /.test(
    sentence,
  )
}

/** "I turn it off, okay?" asks first. */
function isOffer(sentence: string): boolean {
  return /, (?:okay|ok|shall i|sound good|sounds good|alright|all right|deal|yes)\?$/.test(sentence)
}

function isApology(sentence: string): boolean {
  return apology.test(sentence.split(/\bbut\b/)[0] ?? '')
}

function bareOf(clause: string): string {
  return clause
    .replace(openers, '')
    .replace(/[.!]+$/, '')
    .replace(subordinate, '')
    .trim()
}

/** A whole answer in two words. */
const formula =
  /^(?:okay,? |sure,? )?(?:there|here) (?:you|we) go[.!]*$|^voil[aà][.!]*$|^(?:as you wish|your wish is my command)[.!]*$/

function isClaim(clause: string, { names, context, echoes }: Wanted<RegExp>): boolean {
  if (context === 'past' && !/\b(?:just|now)\b/.test(clause)) return false
  if (context !== 'talk' && formula.test(clause)) return true
  const bare = bareOf(clause)
  if (passed.test(clause) || (context !== 'order' && /\bshould (?:now )?be\b/.test(bare))) return false
  if (excuses.some((excuse) => excuse.test(bare))) return false
  const isSaid = (end: number) => !modals.test(bare.slice(0, end))
  if (context === 'talk') return deeds.some((claim) => endsOf(bare, claim).some(isSaid))
  if (generic.test(bare)) return false
  if (claims.some((claim) => endsOf(bare, claim).some(isSaid))) return true
  const isOfThing = names.some((name) => {
    const found = name.exec(bare)
    if (!found) return false
    const from = found.index + found[0].length
    if (placeBefore.test(bare.slice(0, found.index)) && isSaid(found.index)) return true
    const state = stateBehind.exec(bare.slice(from))
    return state !== null && isSaid(from + state[0].length)
  })
  return isOfThing || (context === 'order' && isPlain(bare) && (echoes(bare) || names.some((name) => name.test(bare))))
}

/** After an order, a statement about it that is no limit, no reason and no plan says that it is so. */
function isPlain(bare: string): boolean {
  return evident.test(bare) && !modals.test(bare) && !reserves.test(bare)
}

function endsOf(text: string, pattern: RegExp): number[] {
  const found = pattern.exec(text)
  return found ? [found.index + found[0].length] : []
}

/** "The lamp is on" may be read; "I turned the lamp on" may not. */
export function isEnglishReport(clause: string): boolean {
  return !/\b(?:i|we|i've|i'm|been|done|turning|switching|setting)\b/.test(clause)
}
