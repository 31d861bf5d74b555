"""What people of the generated chats live through, and what they may be asked about it.

A Kind is a sort of event.  `slots` are the values of which each occurrence takes one; `say` is how it is told (the turn that
answers questions of the event); `reply` what the other one says to it; `details` are a question of the other one, an answer
that does not repeat its words, and how somebody asks for it later; `ask` later questions in about the same words, `inflected`
in other forms of the words, `otherwise` in other words; `when` asks for the time; `collect` for all occurrences of one person.
`chat` are turns with words of the kind that tell nothing."""

from dataclasses import dataclass, field


@dataclass
class Kind:
    slots: dict
    say: list
    reply: list
    ask: list
    details: list = field(default_factory=list)
    inflected: list = field(default_factory=list)
    otherwise: list = field(default_factory=list)
    when: list = field(default_factory=list)
    collect: list = field(default_factory=list)
    chat: list = field(default_factory=list)


KINDS = {
    "pottery": Kind(
        slots={"thing": ["bowl", "vase", "teapot", "plate", "salad dish", "mug"], "glaze": ["cobalt", "celadon", "rust red", "matte white"]},
        say=["I finally finished a {thing} at the studio {rel}, and it survived the kiln!",
             "{Rel} I threw my first decent {thing} on the wheel. Clay everywhere, but worth it."],
        reply=["Wow, that sounds so relaxing.", "I'd love to see a picture of it!", "Working with clay must be calming."],
        details=[("Oh nice, which glaze did you go for?", "A {glaze} one. It came out darker than I thought.", "What glaze did {name} put on the {thing}?")],
        ask=["What did {name} make at the pottery studio?"],
        inflected=["Which {thing} was {name} finishing in the kiln?"],
        otherwise=["What ceramics has {name} created?"],
        when=["When did {name} finish the {thing}?"],
        collect=["What pieces has {name} made out of clay?"],
        chat=["I keep meaning to sign up for a pottery course.", "There is a shop for clay and glazes near my office now."]),
    "running": Kind(
        slots={"race": ["charity 10k", "half marathon", "trail race", "midnight run", "relay"], "cause": ["clean water", "the animal shelter", "cancer research", "the youth club"]},
        say=["I ran the {race} {rel} and my legs are still shaking.", "Guess what, {rel} I made it through the {race} without walking once."],
        reply=["Congratulations, that takes discipline!", "You are unstoppable.", "I get tired running for the bus."],
        details=[("That's amazing! Was it for a good cause?", "Yes, everything we raised went to {cause}.", "What cause was the {race} that {name} ran for?")],
        ask=["Which race did {name} run?"],
        inflected=["What kind of races has {name} been running in?"],
        otherwise=["What athletic competition did {name} complete?"],
        when=["When did {name} run the {race}?"],
        collect=["Which running events has {name} taken part in?"],
        chat=["I should start running again, my shoes are gathering dust.", "The race calendar for spring is out, by the way."]),
    "pet": Kind(
        slots={"animal": ["dog", "cat", "rabbit", "parrot", "tortoise", "guinea pig"], "pet": ["Biscuit", "Luna", "Pepper", "Olive", "Waffles", "Mango", "Ziggy", "Hazel"],
               "habit": ["hides socks under the sofa", "sleeps in the laundry basket", "sings at five in the morning", "steals pencils"]},
        say=["We adopted a {animal} {rel}! The name is {pet}.", "Big news: {rel} a {animal} called {pet} moved in with us."],
        reply=["Aww, I can't wait to meet the little one!", "That's adorable.", "Pets make a home."],
        details=[("How is the newcomer settling in?", "{pet} {habit}. I can't be angry.", "What funny habit does {pet} have?")],
        ask=["What is the name of {name}'s {animal}?", "Who is {pet}?"],
        inflected=["Which animal was {name} adopting?"],
        otherwise=["What pet does {name} have?"],
        when=["When did {name} adopt {pet}?"],
        collect=["What are the names of {name}'s pets?"],
        chat=["My neighbour's dog barks at every cyclist.", "Somebody lost a cat, there are posters on all the lamp posts."]),
    "move": Kind(
        slots={"city": ["Lisbon", "Gothenburg", "Leeds", "Montreal", "Graz", "Valparaiso"], "reason": ["rent was killing me", "my sister lives around the corner", "the lab is there", "I wanted to be near the sea"]},
        say=["So, it's official: {rel} I moved to {city}.", "The boxes are unpacked. Since {when_short} I live in {city}."],
        reply=["A new chapter! How exciting.", "I'm happy for you, but I'll miss our coffees."],
        details=[("What made you choose it?", "Honestly, {reason}.", "Why did {name} move to {city}?")],
        ask=["Where did {name} move to?"],
        inflected=["To which city is {name} moving?"],
        otherwise=["In what town has {name} settled?"],
        when=["When did {name} relocate to {city}?"],
        chat=["Moving house is the worst, I still have boxes from last time.", "The city council wants to close the old bridge."]),
    "camping": Kind(
        slots={"site": ["the lake", "the mountains", "the pine forest", "the coast", "the canyon"], "sight": ["a meteor shower", "two otters", "a family of deer", "the northern lights"]},
        say=["We went camping by {site} {rel} with the kids.", "{Rel} we pitched the tent near {site} and slept under the stars."],
        reply=["That must have been magical.", "Fresh air does wonders.", "I'd have been scared of bears."],
        details=[("Did you see anything special out there?", "Believe it or not, {sight}. Nobody said a word for minutes.", "What did {name} see while camping at {site}?")],
        ask=["Where did {name} go camping?"],
        inflected=["At which places has {name} camped?"],
        otherwise=["Where has {name} spent nights outdoors?"],
        when=["When did {name} go camping near {site}?"],
        collect=["Where has {name} camped?"],
        chat=["Our old tent has a hole in it.", "Marshmallows over a fire, nothing better."]),
    "job": Kind(
        slots={"role": ["nurse", "data analyst", "landscape gardener", "museum guide", "pastry chef", "train driver"], "firm": ["Northgate Clinic", "Brightwater", "Castell & Sons", "the Harbour Museum", "Solvei"]},
        say=["I got the job! I start as a {role} at {firm} next month.", "They called {rel}: I'm the new {role} at {firm}."],
        reply=["You earned it!", "Drinks are on you then.", "They are lucky to have you."],
        details=[("How did the interview go in the end?", "Three people, two hours, and they laughed at my joke about spreadsheets.", "How was {name}'s interview for the {role} position?")],
        ask=["What job did {name} get?", "Who works at {firm}?"],
        inflected=["Where is {name} working as a {role}?"],
        otherwise=["What is {name}'s occupation?"],
        when=["When was {name} hired as a {role}?"],
        chat=["Work has been a lot lately.", "My boss wants everybody back at the office.", "I've been looking at job ads again."]),
    "painting": Kind(
        slots={"subject": ["a sunrise over the harbour", "two horses", "my grandmother's hands", "an empty street in the rain", "a field of poppies"], "medium": ["watercolour", "oil", "acrylic", "gouache"]},
        say=["I painted {subject} {rel}. It's drying in the hallway.", "My new canvas is done: {subject}."],
        reply=["You are so talented.", "You should exhibit!", "The colours must be stunning."],
        details=[("Is it in oil again?", "No, {medium} this time. Much more forgiving.", "What medium did {name} use for the painting of {subject}?")],
        ask=["What did {name} paint?"],
        inflected=["What subjects does {name} enjoy painting?"],
        otherwise=["What artwork has {name} produced?"],
        when=["When did {name} paint {subject}?"],
        collect=["What has {name} painted so far?"],
        chat=["The gallery downtown has free entry on Thursdays.", "I can't draw a straight line, never mind paint."]),
    "music": Kind(
        slots={"instrument": ["cello", "clarinet", "accordion", "bass guitar", "violin", "harp"], "piece": ["a waltz", "the theme from an old western", "a lullaby", "a Bach minuet"]},
        say=["I've started {instrument} lessons. My neighbours are very patient.", "{Rel} I bought a second-hand {instrument} and I can't stop."],
        reply=["Music is good for the soul.", "Play me something one day!"],
        details=[("What are you practising at the moment?", "Just {piece}, very slowly, over and over.", "Which piece is {name} practising on the {instrument}?")],
        ask=["What instrument does {name} play?"],
        inflected=["Which instruments has {name} been learning?"],
        otherwise=["What musical skill did {name} pick up?"],
        collect=["Which instruments does {name} play?"],
        chat=["I had that song in my head all day.", "The concert on the square was cancelled because of the storm."]),
    "book": Kind(
        slots={"title": ["\"The Salt Path\"", "\"Middlemarch\"", "\"The Left Hand of Darkness\"", "\"A Gentleman in Moscow\"", "\"Pachinko\"", "\"The Overstory\""],
               "verdict": ["the ending made me cry on the tram", "too many characters, but I loved the last third", "I want to read it again at once", "slow start, then I couldn't put it down"]},
        say=["I finished {title} {rel}.", "Reading {title} right now, my aunt lent it to me."],
        reply=["I've heard so much about it.", "Adding it to my list.", "You read so fast!"],
        details=[("And, what did you think?", "Well, {verdict}.", "What was {name}'s opinion of {title}?")],
        ask=["Which book did {name} read?", "Did {name} read {title}?"],
        inflected=["What books is {name} reading?"],
        otherwise=["What novel has {name} been enjoying?"],
        when=["When did {name} finish {title}?"],
        collect=["What books has {name} read?"],
        chat=["Our book club could not agree on anything this month.", "The library is closed until Monday."]),
    "illness": Kind(
        slots={"part": ["ankle", "wrist", "shoulder", "back", "knee"], "how": ["slipping on the wet stairs", "lifting the sofa", "falling off the bike", "playing badminton"], "cure": ["six weeks of physio", "a cast", "rest and nothing else", "a small operation"]},
        say=["I hurt my {part} {rel}, {how}. So annoying.", "Not my week: {how}, and now my {part} is swollen."],
        reply=["Oh no! Take care of yourself.", "Ouch. Do you need anything from the shop?"],
        details=[("What does the doctor say?", "It'll be {cure}, then we'll see.", "What treatment was {name} given for the {part} injury?")],
        ask=["How did {name} hurt the {part}?"],
        inflected=["What was {name} doing when the {part} got injured?"],
        otherwise=["What accident did {name} have?"],
        when=["When did {name} get hurt?"],
        chat=["I think I'm getting a cold.", "My doctor retired, I need to find a new one."]),
    "garden": Kind(
        slots={"crop": ["tomatoes", "courgettes", "runner beans", "strawberries", "pumpkins", "chillies"], "pest": ["slugs", "the neighbour's hens", "aphids", "pigeons"]},
        say=["I planted {crop} in the back garden {rel}.", "My {crop} are coming up nicely, I sowed them {rel}."],
        reply=["Green fingers!", "Home-grown tastes better.", "I only manage cactuses."],
        details=[("Any trouble with them so far?", "Only {pest}. I put up a net.", "What is threatening the {crop} {name} planted?")],
        ask=["What did {name} plant in the garden?"],
        inflected=["Which vegetables has {name} been planting?"],
        otherwise=["What is {name} growing at home?"],
        when=["When did {name} plant the {crop}?"],
        collect=["What has {name} grown in the garden?"],
        chat=["It hasn't rained for two weeks, the lawn is brown.", "I walked through the botanical garden at lunch."]),
    "travel": Kind(
        slots={"country": ["Iceland", "Vietnam", "Morocco", "Scotland", "Peru", "Slovenia", "Japan"], "with": ["my brother", "two friends from university", "nobody, all alone", "my mum"], "best": ["the night train", "the street food", "the hot springs", "getting lost in the old town"]},
        say=["We just came back from {country}, I'm still jet-lagged.", "{Rel} I got back from my trip to {country}."],
        reply=["I'm so jealous!", "Show me the photos!", "You look rested."],
        details=[("Who did you go with?", "With {with}, and it worked out beautifully.", "Who accompanied {name} to {country}?"), ("What was the highlight?", "No question: {best}.", "What did {name} like most about {country}?")],
        ask=["Which country did {name} visit?"],
        inflected=["Where has {name} been travelling?"],
        otherwise=["What was {name}'s vacation destination?"],
        when=["When did {name} return from {country}?"],
        collect=["Which countries has {name} travelled to?"],
        chat=["Flights are so expensive this year.", "I need a holiday, anywhere with sun."]),
    "volunteer": Kind(
        slots={"place": ["the soup kitchen", "the refugee centre", "the animal shelter", "a repair café", "the hospice"], "task": ["sorting donations", "teaching evening classes", "walking dogs", "driving the van"]},
        say=["I began volunteering at {place} {rel}.", "{Rel} was my first shift at {place}. Exhausting and good."],
        reply=["The world needs more people like you.", "I admire that."],
        details=[("What do they have you do?", "Mostly {task}. It suits me.", "What tasks does {name} do at {place}?")],
        ask=["Where does {name} volunteer?"],
        inflected=["Which organisations has {name} volunteered for?"],
        otherwise=["How does {name} give back to the community?"],
        when=["When did {name} start helping at {place}?"],
        collect=["Where has {name} volunteered?"],
        chat=["They are collecting donations at the supermarket again.", "I have no free evening this month."]),
    "cooking": Kind(
        slots={"dish": ["ramen", "a lentil curry", "paella", "pierogi", "a chocolate soufflé", "sourdough bread"], "twist": ["smoked paprika", "far too much garlic", "a splash of cider", "grandma's secret spice"]},
        say=["I cooked {dish} from scratch {rel}.", "Tried to make {dish} {rel}, the kitchen is a battlefield."],
        reply=["I can smell it from here.", "Invite me next time!"],
        details=[("Any secret ingredient?", "Just {twist}. Don't tell anyone.", "What special ingredient did {name} add to the {dish_bare}?")],
        ask=["What did {name} cook?"],
        inflected=["Which dishes has {name} been cooking?"],
        otherwise=["What meal did {name} prepare at home?"],
        when=["When did {name} make {dish}?"],
        collect=["What dishes has {name} made?"],
        chat=["We ordered pizza again, I'm ashamed.", "My oven takes forever to heat up."]),
    "course": Kind(
        slots={"subject": ["Portuguese", "carpentry", "first aid", "astronomy", "sign language", "bookkeeping"], "teacher": ["Mrs. Okafor", "Mr. Lindqvist", "Dr. Romano", "Ms. Adeyemi"]},
        say=["I signed up for a {subject} class {rel}.", "Evening school has begun: {subject}, twice a week."],
        reply=["Never stop learning!", "Good for you."],
        details=[("Is the teacher any good?", "{teacher} is strict but funny, I like that.", "Who teaches {name}'s {subject} class?")],
        ask=["What class did {name} sign up for?"],
        inflected=["Which classes has {name} been attending?"],
        otherwise=["What new subject is {name} studying?"],
        when=["When did {name} enrol in the {subject} class?"],
        collect=["What courses has {name} taken?"],
        chat=["My brain is too full for new things.", "School starts again on Monday, the traffic will be awful."]),
    "wedding": Kind(
        slots={"who": ["my cousin Ines", "my best friend Tobias", "my sister Noor", "my colleague Freya"], "place": ["a vineyard", "an old factory", "a lighthouse", "their own backyard"], "gift": ["a hand-made quilt", "a record player", "concert tickets", "a tree"]},
        say=["{Who} got married {rel}!", "{Rel} was the wedding of {who}. I danced till three."],
        reply=["How romantic!", "I always cry at weddings."],
        details=[("Where was the party?", "In {place}, with fairy lights all over.", "Where was the wedding of {who_bare} held?"), ("What did you bring them?", "I gave them {gift}; they loved it.", "What present did {name} give at the wedding of {who_bare}?")],
        ask=["Whose wedding did {name} attend?"],
        inflected=["Who was marrying when {name} danced until three?"],
        otherwise=["Which relative or friend of {name} tied the knot?"],
        when=["When did {who_bare} get married?"],
        chat=["I have three weddings this summer and nothing to wear.", "My parents celebrate their anniversary next week."]),
    "car": Kind(
        slots={"fault": ["the clutch", "the alternator", "a flat tyre", "the timing belt", "the brakes"], "cost": ["420 euros", "95 pounds", "more than the car is worth", "250 dollars"]},
        say=["My car broke down {rel}. It was {fault}.", "Stuck on the motorway {rel}: {fault} gave up."],
        reply=["Cars always choose the worst moment.", "Did somebody tow you?"],
        details=[("What did the garage charge you?", "They wanted {cost}. I nearly fainted.", "How much did the repair of {name}'s car cost?")],
        ask=["What was wrong with {name}'s car?"],
        inflected=["Why was the car of {name} breaking down?"],
        otherwise=["What mechanical problem did {name}'s vehicle have?"],
        when=["When did {name}'s car break down?"],
        chat=["Parking in this town is a nightmare.", "I'm thinking about selling the car and getting a cargo bike."]),
    "child": Kind(
        slots={"kid": ["Milo", "Saskia", "Jonas", "Amira", "Theo"], "feat": ["lost the first tooth", "learned to ride a bike", "won the spelling contest", "sang a solo at school", "built a robot"], "reward": ["ice cream for breakfast", "a trip to the zoo", "staying up until ten", "a new comic"]},
        say=["{kid} {feat} {rel}, I'm so proud.", "Parent moment: {rel} my {kid} {feat}."],
        reply=["They grow up so fast.", "Give the champion a hug from me!"],
        details=[("How did you celebrate?", "With {reward}, of course.", "How did {name} celebrate with {kid}?")],
        ask=["What did {kid} do that made {name} proud?"],
        inflected=["What is {kid}, the child of {name}, being celebrated for?"],
        otherwise=["What milestone did {name}'s kid reach?"],
        when=["When did it happen that {kid} {feat}?"],
        chat=["The kids are home sick, I get nothing done.", "Teenagers live on cereal, it seems."]),
    "hobby": Kind(
        slots={"hobby": ["birdwatching", "chess", "rock climbing", "knitting", "stargazing", "geocaching"], "mate": ["Priya", "Marcus", "old Mr. Tanaka", "the twins next door"]},
        say=["I've really got into {hobby} lately, it clears my head.", "New obsession: {hobby}. I was out {rel} again."],
        reply=["I didn't see that coming!", "Everybody needs something like that."],
        details=[("Do you do that on your own?", "No, usually {mate} comes along.", "Who joins {name} for {hobby}?")],
        ask=["What hobby has {name} taken up?", "What does {name} do to relax?"],
        otherwise=["How does {name} unwind?"],
        collect=["What hobbies does {name} have?"],
        chat=["I need a hobby that isn't my phone.", "The weather was perfect for being outside."]),
    "film": Kind(
        slots={"film": ["\"Past Lives\"", "\"The Lunchbox\"", "\"Paddington 2\"", "\"Stalker\"", "\"Aftersun\""], "who": ["my flatmate", "a date, sort of", "the whole family", "nobody"], "seat": ["a cinema in a former church", "the open-air screen in the park", "the sofa"]},
        say=["Saw {film} {rel}.", "{Rel} I watched {film}, and I keep thinking about it."],
        reply=["I missed that one.", "Is it worth the ticket?"],
        details=[("Did you see it at the cinema?", "Yes and no: {seat}.", "Where did {name} see {film}?")],
        ask=["Which movie did {name} watch?"],
        inflected=["What films has {name} been watching?"],
        otherwise=["What picture did {name} see on screen?"],
        when=["When did {name} watch {film}?"],
        collect=["Which films has {name} watched?"],
        chat=["There is nothing good on television.", "The cinema round the corner became a gym."]),
    "home": Kind(
        slots={"room": ["kitchen", "attic", "bathroom", "hallway", "balcony"], "colour": ["sage green", "terracotta", "pale yellow", "midnight blue"], "helper": ["my dad", "a very slow plumber", "Elif from work", "three friends and a crate of beer"]},
        say=["We renovated the {room} {rel}.", "The {room} is finally done, after {weeks} weeks of dust."],
        reply=["I can't wait to see it.", "Dust in every drawer, I know the feeling."],
        details=[("What colour did you paint it?", "Guess: {colour}. I was outvoted.", "What colour is {name}'s {room}?"), ("Did you do it all yourselves?", "Hardly. We had {helper}.", "Who helped {name} with the {room}?")],
        ask=["Which room did {name} renovate?"],
        inflected=["What renovation has {name} been doing?"],
        otherwise=["What part of the house did {name} redo?"],
        when=["When was the {room} of {name} renovated?"],
        chat=["The heating is making that noise again.", "I spent the evening looking at lamps online."]),
    "goal": Kind(
        slots={"goal": ["open a small bakery", "write a children's book", "swim across the lake", "get a pilot licence", "learn to sail"], "deadline": ["before I turn forty", "by next summer", "as soon as the loan is paid off", "within two years"]},
        say=["I've decided: I want to {goal}.", "Don't laugh, but my plan is to {goal}."],
        reply=["I'd never laugh about that.", "Dream big!"],
        details=[("When do you want to do it?", "Ideally {deadline}.", "What deadline did {name} set for the plan to {goal}?")],
        ask=["What does {name} want to do in the future?", "What is {name} planning?"],
        inflected=["What plans is {name} pursuing?"],
        otherwise=["What is {name}'s ambition?"],
        collect=["What goals has {name} mentioned?"],
        chat=["I made a plan for the week and gave up on Tuesday.", "Someday I'll learn to say no."]),
    "food": Kind(
        slots={"food": ["coriander", "blue cheese", "olives", "mushrooms", "liquorice"], "why": ["it tastes like soap to me", "I ate too much of it once as a child", "the texture, I can't", "I get a rash"]},
        say=["Please no {food} for me, never.", "I sent the salad back, it was full of {food}."],
        reply=["More for me then.", "Noted for the next dinner."],
        details=[("Why is that?", "It's simple, {why}.", "Why can't {name} stand {food}?")],
        ask=["Which food does {name} dislike?"],
        otherwise=["What should not be served to {name}?"],
        collect=["Which foods does {name} avoid?"],
        chat=["The new restaurant has a queue around the block.", "I skipped lunch and regret it."]),
    "lost": Kind(
        slots={"object": ["passport", "wedding ring", "phone", "house keys", "wallet"], "spot": ["between the sofa cushions", "in the freezer, don't ask", "at the lost property office", "in my other coat"]},
        say=["I lost my {object} {rel} and turned the flat upside down.", "My {object} is gone since {when_short}, I'm desperate."],
        reply=["It always turns up when you stop looking.", "Have you checked your coat?"],
        details=[("Any luck in the meantime?", "Found! It was {spot}.", "Where did the lost {object} of {name} turn up?")],
        ask=["What did {name} lose?"],
        inflected=["What was {name} losing and searching for?"],
        otherwise=["What item went missing from {name}?"],
        when=["When did {name} lose the {object}?"],
        chat=["I lose an umbrella a month.", "My phone battery dies at forty percent."]),
    "sport": Kind(
        slots={"team": ["the Harriers", "Rovers", "the Lakeside Owls", "United"], "score": ["3-1", "after penalties", "by a single point", "0-4"], "sport": ["football", "basketball", "ice hockey", "handball"]},
        say=["{Rel} I went to the {sport} match of {team}.", "We watched {team} play {sport} in the stadium {rel}."],
        reply=["The atmosphere must have been great.", "I don't get sports, but I like the songs."],
        details=[("Who won?", "They did it {score}. My voice is gone.", "What was the result when {name} saw {team}?")],
        ask=["Which team did {name} go to see?"],
        inflected=["Which matches has {name} been watching?"],
        otherwise=["What game did {name} attend?"],
        when=["When did {name} see {team} play?"],
        chat=["The match was on in every bar.", "Our office team lost again."]),
    "tech": Kind(
        slots={"device": ["laptop", "coffee machine", "bicycle computer", "e-reader", "camera"], "brand": ["Fennel X2", "Orbita 5", "Kestrel Pro", "Lumen S"], "complaint": ["the battery is a joke", "the manual is only in Korean", "it beeps at night", "I can't complain at all"]},
        say=["I bought a new {device} {rel}, the {brand}.", "Treated myself to the {brand}, a {device}."],
        reply=["Fancy!", "My old one has to do for now."],
        details=[("And are you happy with it?", "So-so: {complaint}.", "What does {name} complain about with the {brand}?")],
        ask=["Which {device} did {name} buy?", "What is the {brand}?"],
        inflected=["What gadgets has {name} been buying?"],
        otherwise=["What device did {name} purchase?"],
        when=["When did {name} buy the {brand}?"],
        chat=["Updates, updates, my computer does nothing else.", "I don't trust gadgets that talk."]),
}

# Facts that are replaced by newer ones: what is true, and how it is asked for.
CHANGES = [
    ("my gym membership", ["My gym costs {v} a month now.", "They put the gym up to {v} a month."], ["19 euros", "34 euros", "45 euros", "52 euros"], "How much does {name} pay for the gym now?"),
    ("commute", ["My commute takes {v} these days.", "With the new line I need {v} to work."], ["20 minutes", "35 minutes", "50 minutes", "an hour and ten"], "How long is {name}'s current commute?"),
    ("tutor", ["I study with {v} on Wednesdays.", "{v} is my tutor now."], ["Leila", "Mr. Brandt", "Oksana", "Dev"], "Who is {name}'s tutor at the moment?"),
    ("record", ["My best time over 5k is {v} as of today.", "New personal best on 5k: {v}!"], ["31:40", "29:55", "28:12", "27:03"], "What is {name}'s personal best over 5k?"),
    ("band practice", ["Band practice is on {v} from now on.", "We moved rehearsal to {v}."], ["Mondays", "Thursdays", "Saturdays", "Sunday mornings"], "On which day does {name}'s band rehearse?"),
    ("team size", ["There are {v} of us in the department now.", "The department has grown to {v}."], ["four", "seven", "eleven", "sixteen"], "How many people work in {name}'s department?"),
]

SMALL_TALK = [
    "Hey {other}! How have you been?", "Long time no see, {other}!", "I'm good, thanks. A bit tired.", "Same here, {other}. The weeks fly by.",
    "Thanks, {other}! That means a lot.", "Absolutely, {other}.", "Ha, I know exactly what you mean.", "That reminds me of last summer.",
    "How's the family?", "They are fine, thanks for asking.", "It's been raining for days here.", "I could use a coffee.",
    "You always know what to say, {other}.", "Let's talk again soon!", "Take care, {other}!", "I'll tell you more next time.",
    "Oh, before I forget, did you get my message?", "Yes, sorry, I was swamped.", "What are you up to at the weekend?",
    "Nothing planned yet, maybe I'll just sleep.", "My phone fell into the sink, but it survived.", "I've been thinking about what you said.",
    "It's hard to find time for everything.", "One step at a time, {other}.", "You've got this!", "I really appreciate you listening.",
    "The neighbours are renovating, I can hardly hear myself.", "Did you see the news?", "I try not to, honestly.", "Fair enough.",
    "That sounds like quite a day.", "Tell me everything!", "I've got a meeting in ten minutes, but go on.", "Okay, that made me laugh.",
    "I was at the market this morning, so crowded.", "We should do something together soon.", "Anyway, enough about me.", "How was your week, {other}?",
]

# What an assistant says at length: sentences of advice with words of the kinds, and none of the person's own facts.
ADVICE = [
    "Start with a realistic budget and leave ten percent for surprises.", "For a first camping trip, test the tent at home before you leave.",
    "A cat needs about two weeks to settle in, so keep one room quiet.", "Wrap your ankle, keep the leg up and see a doctor if it stays swollen.",
    "For ramen, simmer the broth for at least six hours.", "When you paint with watercolour, work from light to dark.",
    "A half marathon plan usually takes twelve weeks, with one long run each week.", "Many museums offer free entry on one evening a week.",
    "In the garden, plant tomatoes after the last frost and water them in the morning.", "Ask the garage for a written estimate before any repair of the car.",
    "For learning an instrument, twenty minutes a day beat three hours on Sunday.", "If you move to another city, register within two weeks.",
    "A good wedding gift is something the couple would not buy themselves.", "For Iceland, book the hot springs in advance and bring layers.",
    "Volunteering works best if you choose a fixed shift.", "When you buy a laptop, look at the battery and the weight first.",
    "Clay needs to dry slowly, or it will crack in the kiln.", "Kids learn to ride a bike faster without training wheels.",
    "A bakery needs permits, a landlord who allows ovens, and a lot of patience.", "Reading before bed helps many people fall asleep.",
    "For a job interview, prepare three stories about problems you solved.", "Consider a sign language class at the adult education centre.",
    "Chess clubs are usually happy about beginners.", "Keep a copy of your passport in your email.", "For the balcony, choose a paint that resists moisture.",
]
REQUESTS = ["Can you give me some tips for {topic}?", "I need advice about {topic}.", "What should I keep in mind with {topic}?", "Could you help me make a checklist for {topic}?"]
TOPICS = {"pottery": "pottery at home", "running": "training for my next race", "pet": "looking after a new pet", "move": "settling into a new city",
          "camping": "a camping trip", "job": "my first weeks at a new job", "painting": "framing pictures", "music": "practising an instrument",
          "book": "finding the next book to read", "illness": "recovering from an injury", "garden": "my garden", "travel": "unpacking and jet lag",
          "volunteer": "volunteering without burning out", "cooking": "cooking for guests", "course": "learning as an adult", "wedding": "writing a speech",
          "car": "buying a used car", "child": "a birthday party for children", "hobby": "making time for hobbies", "film": "setting up a home cinema",
          "home": "renovating on a budget", "goal": "setting goals", "food": "a dinner menu", "lost": "keeping things in order", "sport": "a day at the stadium", "tech": "setting up a new gadget"}

# Places that an assistant recommends, by name: two parts.
PLACES = (["Kestrel", "Maple", "Copper", "Harbour", "Lantern", "Juniper", "Atlas", "Willow", "Granite", "Saffron"], ["Corner", "& Sons", "House", "Collective", "Works", "Lane", "Depot"])
