"""Pools: the raw material of the training episodes. Plain data, no logic but name-making.

Nothing in here may occur in `training/questions/`: a test compares names and templates.
"""

import random
from pathlib import Path

# kind of thing | attribute | question | comparative | unit | low | high | decimals
NUMBERS = """
mountain|height|How high is {e}|higher|m|600|8200|0
river|length|How long is {e}|longer|km|12|4200|0
lake|depth|How deep is {e}|deeper|m|4|900|0
bridge|length|How long is {e}|longer|m|40|3800|0
tower|number of steps|How many steps does {e} have|taller|steps|60|900|0
tunnel|length|How long is {e}|longer|m|300|24000|0
volcano|last eruption year|When did {e} last erupt|later||1650|2020|0
cave|temperature|How cold is {e}|warmer|°C|2|14|1
island|area|How large is {e}|larger|km²|3|2500|0
village|population|How many people live in {e}|bigger|people|80|9400|0
town|postcode|What is the postcode of {e}|higher||10000|99999|0
town|elevation|How far above the sea is {e}|higher|m|2|2100|0
country|number of provinces|How many provinces does {e} have|larger|provinces|3|60|0
product|price|How much does {e} cost|more expensive|euros|2|900|2
product|weight|How heavy is {e}|heavier|kg|1|60|1
product|rating|How is {e} rated|better|stars|1|5|1
product|stock|How many of {e} are in stock|more plentiful|pieces|0|400|0
product|delivery time|How long does delivery of {e} take|slower|days|1|30|0
order|total|What is the total of {e}|higher|euros|15|2400|2
order|number of items|How many items are in {e}|bigger|items|1|40|0
parcel|weight|How heavy is {e}|heavier|kg|1|30|1
invoice|amount|What is the amount of {e}|higher|dollars|20|9000|2
account|balance|What is the balance of {e}|fuller|dollars|10|99000|2
machine|running hours|How many hours has {e} been running|older|hours|10|22000|0
machine|power use|How much power does {e} draw|hungrier|watts|20|7500|0
sensor|reading|What does {e} read|higher|units|1|400|1
server|memory|How much memory does {e} have|bigger|GB|4|512|0
server|load|What is the load of {e}|busier|percent|1|99|0
printer|pages left|How many pages can {e} still print|fuller|pages|5|3000|0
vehicle|mileage|How many kilometres has {e} driven|older|km|900|280000|0
vehicle|top speed|How fast can {e} go|faster|km/h|90|310|0
train|delay|How late is {e}|later|minutes|1|95|0
train|number of carriages|How many carriages does {e} have|longer|carriages|2|18|0
flight|duration|How long does {e} take|longer|minutes|45|840|0
ship|crew size|How many people work on {e}|bigger|sailors|6|420|0
ship|launch year|In which year was {e} launched|newer||1890|2022|0
person|age|How old is {e}|older|years|18|96|0
person|phone extension|What is the phone extension of {e}|higher||100|9999|0
person|shoe size|Which shoe size does {e} wear|larger||34|48|0
person|years of service|How long has {e} worked here|longer|years|1|41|0
person|birth year|In which year was {e} born|younger||1640|2004|0
employee|holiday left|How many holidays does {e} have left|richer|days|0|33|0
student|score|How many points did {e} get|better|points|5|100|0
runner|finish time|How long did {e} need|slower|minutes|14|300|0
player|goals|How many goals did {e} score|better|goals|0|44|0
team|points|How many points does {e} have|better|points|3|99|0
book|number of pages|How many pages does {e} have|longer|pages|60|1200|0
book|year of publication|When was {e} published|newer||1780|2021|0
film|running time|How long does {e} run|longer|minutes|62|240|0
film|release year|In which year did {e} come out|newer||1920|2023|0
song|tempo|How fast is the song {e}|faster|bpm|50|210|0
album|number of tracks|How many tracks are on {e}|longer|tracks|4|30|0
game|number of players|How many people can play {e}|bigger|players|1|12|0
recipe|baking time|How long does {e} bake|slower|minutes|8|120|0
recipe|oven heat|How hot must the oven be for {e}|hotter|°C|120|260|0
dish|calories|How many calories does {e} have|richer|kcal|60|1400|0
tea|brewing time|How long must {e} brew|slower|minutes|1|9|0
medicine|daily dose|What is the daily dose of {e}|stronger|mg|5|800|0
tree|age|How old is {e}|older|years|12|3000|0
plant|watering interval|How often must {e} be watered|thirstier|days|1|30|0
bird|wingspan|How wide are the wings of {e}|larger|cm|14|320|0
animal|lifespan|How long does {e} live|older|years|1|120|0
animal|top speed|How fast does {e} run|faster|km/h|1|110|0
fish|weight|How heavy does {e} get|heavier|kg|1|600|1
metal|melting point|At what temperature does {e} melt|hotter|°C|30|3400|0
mineral|hardness|How hard is {e}|harder||1|10|1
liquid|boiling point|At what temperature does {e} boil|hotter|°C|40|360|0
planet|number of moons|How many moons does {e} have|richer|moons|0|95|0
star|distance|How far away is {e}|farther|light years|4|4800|0
comet|orbital period|How long does {e} take around the sun|slower|years|3|900|0
satellite|altitude|How high does {e} fly|higher|km|160|36000|0
room|number of seats|How many seats does {e} have|bigger|seats|4|600|0
room|floor area|How large is {e}|larger|m²|8|400|0
hotel|price per night|What does a night at {e} cost|more expensive|euros|35|480|0
restaurant|number of tables|How many tables does {e} have|bigger|tables|4|90|0
festival|number of visitors|How many people visited {e}|bigger|visitors|300|90000|0
beach|water temperature|How warm is the water at {e}|warmer|°C|9|29|1
ski slope|snow depth|How much snow lies on {e}|snowier|cm|5|340|0
stadium|capacity|How many people fit into {e}|bigger|people|900|95000|0
car park|free spaces|How many spaces are free in {e}|emptier|spaces|0|700|0
garden|number of trees|How many trees stand in {e}|greener|trees|3|900|0
mill|founding year|When was {e} founded|younger||1100|1990|0
farm|number of cows|How many cows does {e} have|bigger|cows|5|600|0
company|number of employees|How many people work for {e}|bigger|employees|3|90000|0
share|price|What is the price of the share {e}|dearer|dollars|2|900|2
course|number of lessons|How many lessons does {e} have|longer|lessons|4|60|0
ticket|price|What does a ticket for {e} cost|dearer|euros|4|240|0
battery|charge|How full is {e}|fuller|percent|1|100|0
tank|level|How full is {e}|fuller|litres|10|9000|0
pump|pressure|What is the pressure of {e}|stronger|bar|1|16|1
road|number of lanes|How many lanes does {e} have|wider|lanes|1|8|0
street|speed limit|How fast may one drive in {e}|faster|km/h|20|120|0
clinic|waiting time|How long is the wait at {e}|slower|minutes|5|180|0
painting|year|When was {e} painted|newer||1400|1990|0
museum|entrance fee|What does the entrance to {e} cost|dearer|euros|3|28|0
castle|number of rooms|How many rooms does {e} have|bigger|rooms|9|400|0
dam|height|How high is {e}|higher|m|12|300|0
forest|area|How large is {e}|larger|hectares|12|9000|0
channel|number of subscribers|How many subscribers does {e} have|bigger|subscribers|20|900000|0
app|version|Which version of {e} is current|newer||1|20|1
file|size|How large is the file {e}|larger|MB|1|900|0
language|number of speakers|How many people speak {e}|bigger|speakers|4000|90000000|0
element|atomic number|What is the atomic number of {e}|heavier||1|118|0
dog|height|How tall is {e}|taller|cm|18|90|0
horse|weight|How heavy is {e}|heavier|kg|280|990|0
bicycle|number of gears|How many gears does {e} have|better|gears|1|30|0
cable|length|How long is {e}|longer|m|1|90|0
lamp|brightness|How bright is {e}|brighter|lumens|200|9000|0
well|depth|How deep is {e}|deeper|m|4|220|0
"""

# kind of thing | attribute | question | values (PERSON and PLACE are made up)
WORDS = """
book|author|Who wrote {e}|PERSON
film|director|Who directed {e}|PERSON
song|composer|Who composed {e}|PERSON
painting|painter|Who painted {e}|PERSON
company|founder|Who founded {e}|PERSON
company|headquarters|In which town is {e} based|PLACE
team|coach|Who coaches {e}|PERSON
course|teacher|Who teaches {e}|PERSON
project|manager|Who leads {e}|PERSON
ship|captain|Who is the captain of {e}|PERSON
ship|home port|What is the home port of {e}|PLACE
employee|department|In which department does {e} work|sales,purchasing,accounts,design,research,kitchen,logistics,legal,support,training
employee|supervisor|Who is the supervisor of {e}|PERSON
employee|office|In which office does {e} sit|B14,C204,A3,East 7,West 19,D110,F08,K51,M2,P33
person|home town|In which town does {e} live|PLACE
person|birthplace|Where was {e} born|PLACE
person|profession|What does {e} do for a living|baker,pilot,surgeon,carpenter,chemist,painter,lawyer,gardener,nurse,judge,welder,sculptor
person|favourite colour|What is the favourite colour of {e}|blue,green,red,yellow,violet,orange,grey,turquoise
train|platform|From which platform does {e} leave|2,4,5,7,9,11,12,14,3A,8B
train|destination|Where does {e} go|PLACE
flight|gate|From which gate does {e} leave|A4,B17,C22,D9,E31,F2,G15,H8
flight|status|What is the status of {e}|on time,boarding,delayed,cancelled,landed,departed
parcel|status|What is the status of {e}|in the depot,on its way,delivered,waiting at customs,lost,being packed
parcel|location|Where is {e}|PLACE
order|status|What is the status of {e}|paid,packed,shipped,delivered,cancelled,on hold,waiting for payment
order|customer|Who placed {e}|PERSON
ticket|priority|What is the priority of {e}|low,normal,high,urgent
machine|state|In what state is {e}|running,stopped,idle,in repair,overheated,waiting for material
server|operating system|Which system runs on {e}|Debian,Fedora,FreeBSD,Ubuntu,Alpine,OpenBSD
room|equipment|What equipment does {e} have|a projector,a whiteboard,two screens,a piano,a camera,six microphones
door|access code colour|Which colour is the code card for {e}|green,amber,white,black,silver,pink
plant|light|How much light does {e} need|full sun,half shade,shade,bright shade
plant|family|To which family does {e} belong|rose family,mint family,daisy family,lily family,grass family,nightshade family
bird|food|What does {e} eat|seeds,insects,fish,berries,worms,nectar,snails,mice
animal|habitat|Where does {e} live|desert,rain forest,steppe,swamp,coast,high mountains,deep sea,tundra
mineral|colour|What colour is {e}|green,blue,rose,black,clear,brown,honey yellow,silver grey
metal|symbol|What is the symbol of {e}|Qa,Zx,Vr,Om,Lt,Rk,Ju,Wd
country|capital|What is the capital of {e}|PLACE
country|currency|Which money is used in {e}|krona,peso,dinar,florin,guilder,crown,rand,shilling
country|main language|What do people speak in {e}|Sarvian,Old Noric,Velish,Tamari,Ostric,Luno
town|mayor|Who is the mayor of {e}|PERSON
town|river|Which river flows through {e}|PLACE
game|publisher|Who published {e}|PERSON
dish|main ingredient|What is {e} made of|lentils,barley,chestnuts,trout,cabbage,goat cheese,beetroot,buckwheat,leeks
tea|origin|Where does {e} come from|PLACE
wine|grape|From which grape is {e} made|Riesling,Malbec,Furmint,Grenache,Albarino,Pinot Noir,Zweigelt
medicine|side effect|What is the side effect of {e}|headache,dry mouth,dizziness,tiredness,nausea,itching
word|translation|What is the translation of the word {e}|kestu,moral,fenik,ludar,sapo,trenna,vilo,ombra
word|plural|What is the plural of {e}|kesten,luxa,ombri,fenira,tolven,mirai
star|constellation|In which constellation is {e}|Lyra,Vela,Draco,Lepus,Corvus,Norma,Hydra
planet|colour|What colour is {e}|rust red,pale blue,white,ochre,dark grey,green
museum|closing day|On which day is {e} closed|Monday,Tuesday,Wednesday,Thursday,Friday
shop|opening time|When does {e} open|7:30,8:00,8:30,9:15,10:00,11:30
clinic|visiting hours|When are visiting hours at {e}|10 to 12,14 to 16,15 to 19,16 to 18
course|room|In which room does {e} take place|Room 12,Room 204,Hall B,Studio 3,Lab 7,Room 31
stadium|home team|Which team plays in {e}|PERSON
festival|month|In which month is {e}|March,April,May,June,July,August,September,October
street|surface|What is the surface of {e}|asphalt,cobbles,gravel,concrete,sand
app|licence|Under which licence is {e}|MIT,Apache,GPL,BSD,commercial
file|owner|Who owns the file {e}|PERSON
account|holder|Who holds {e}|PERSON
bicycle|frame material|What is the frame of {e} made of|steel,carbon,aluminium,titanium,bamboo
statue|sculptor|Who made {e}|PERSON
instrument|maker|Who built {e}|PERSON
"""

# name | what it does | first parameter | second parameter | question | answer | value
# Values: a number "lo-hi unit", or words with commas. {a}, {b}: the parameters' values.
PAIRS = """
distance|Distance between two towns in kilometres|start:PLACE|end:PLACE|How far is it from {a} to {b}|The distance from {a} to {b} is {v}|15-1900 km
travel_time|Travel time by train between two towns|origin:PLACE|target:PLACE|How long does the train from {a} to {b} take|The train from {a} to {b} takes {v}|20-700 minutes
fare|Price of a coach ticket between two towns|from_town:PLACE|to_town:PLACE|What does the coach from {a} to {b} cost|The coach from {a} to {b} costs {v}|6-120 euros
translate|Translate one word into another language|word:WORD|language:LANGUAGE|What is {a} in {b}|In {b}, {a} is {v}|kestu,morala,fenik,ludar,sapone,trenna,vilo,ombra,zamir,polka
roster|Shift of a worker on a weekday|worker:PERSON|day:DAY|Which shift does {a} have on {b}|On {b}, {a} has the {v}|early shift,late shift,night shift,day off
grade|Grade of a pupil in a subject|pupil:PERSON|subject:SUBJECT|What grade does {a} have in {b}|In {b}, {a} has grade {v}|1-6
shop_stock|How many pieces of an article a branch has|article:PRODUCT|branch:PLACE|How many pieces of {a} does the branch in {b} have|The branch in {b} has {v} of {a}|0-90 pieces
league_score|Points of a team in a season|team:TEAM|season:YEAR|How many points did {a} get in {b}|In {b}, {a} got {v}|8-99 points
rainfall|Rain of a town in one month|place:PLACE|month:MONTH|How much rain fell in {a} in {b}|In {b}, {v} of rain fell in {a}|4-240 mm
rent|Rent of a flat by town and number of rooms|town:PLACE|rooms:SMALL|What is the rent of a flat with {b} rooms in {a}|A flat with {b} rooms in {a} costs {v}|350-2600 euros
salary_band|Pay of a job at a level|job:JOB|level:SMALL|What does a {a} at level {b} earn|A {a} at level {b} earns {v}|1800-7900 euros
paint_need|Litres of paint for a wall by width and height|width:SMALL|height:SMALL|How much paint does a wall of {a} by {b} metres need|A wall of {a} by {b} metres needs {v}|2-30 litres
votes|Votes for a candidate in a district|candidate:PERSON|district:PLACE|How many votes did {a} get in {b}|In {b}, {a} got {v}|40-9000 votes
attendance|How many lessons a student missed in a month|student:PERSON|month:MONTH|How many lessons did {a} miss in {b}|In {b}, {a} missed {v}|0-30 lessons
seat|Seat of a passenger on a train|passenger:PERSON|train:CODE|Which seat does {a} have on {b}|On {b}, {a} has seat {v}|12A,3C,44F,7B,19D,61,28E,5A
"""

CODES = ("ORD-{n}", "{n}", "A{n}", "{L}{L}-{n}", "#{n}", "{L}{n}", "INV{n}", "{n}-{L}", "R{n}/{m}")
FIRST = (
    "Ilse Bruno Tamar Noor Piotr Gesa Arvid Mirela Otto Fadila Jonas Selma Radek Yara Emil Zora Hugo Alva "
    "Tiberiu Nadia Kasimir Olga Leif Marta Idris Vesna Anton Greta Milan Rosa Sven Aino Dario Lucia Femi "
    "Ravi Meera Kenji Hana Wei Ling Omar Salma Kofi Ama Tariq Leila Pavel Irina Bela Zsofia Henk Anouk "
    "Rhys Bronwen Callum Isla Declan Orla Mateo Paula Iker Amaia Thiago Luana"
).split()
LAST = (
    "Brandt Okoye Lindqvist Marchetti Vasquez Novak Petrenko Hallberg Sorensen Duarte Kowal Yilmaz Haddad "
    "Nakamura Iyer Mbeki Castellan Farkas Weiss Dubois Keller Andrade Popescu Horvat Jansen Lund Moreau "
    "Rossi Tanaka Achebe Varga Winther Zeman Quist Ferrante Gallo Bergman Osei Rahman Tomic Uhl Voss"
).split()
START = (
    "Al Bar Cor Dun El Fal Gar Hol Is Jor Kel Lan Mor Nor Ost Pel Quen Ros Sal Tor Ul Var Wes Yar Zel "
    "Bren Cas Dor Fen Grim Hav Kir Lom Mar Ned Orl Pan Rad Sten Thal Umb Vel Wol Aster Bel Cren"
).split()
MIDDLE = "a e i o u an en ar el in or ul am ev ir os".split()
END = (
    "by ton ville dorf stad berg mere ford holm wick ham nau low vik grad ia ova ino ette mund field den "
    "brook port haven moor gate cliff wood bay ura eki osto anza"
).split()
PRODUCT_A = (
    "red folding electric wooden small heavy cordless garden steel travel camping silent double blue mini "
    "deluxe basic classic waterproof leather cotton glass ceramic digital"
).split()
PRODUCT_B = (
    "kettle chair drill ladder tent lamp scale toaster backpack hammer saw blanket pan clock mirror fan "
    "heater rug shelf desk bench vase bowl knife rope stove helmet umbrella suitcase radio"
).split()
TITLES_A = (
    "Silent,Last,Distant,Crooked,Winter,Hollow,Golden,Broken,Small,Seventh,Hidden,Northern,Paper,Salt,"
    "Copper,Midnight,Slow,Amber,Burning,Lost"
).split(",")
TITLES_B = (
    "Harbour,Orchard,Letter,Lighthouse,Garden,Machine,Forest,Mirror,Journey,Bridge,Summer,Clockmaker,"
    "Island,Song,River,Door,Winter,Archive,Sparrow,Meadow"
).split(",")
CREATURES = (
    "lynx,badger,ibex,stork,viper,marten,bison,falcon,gecko,tapir,newt,puffin,walrus,jackal,"
    "hyena,caribou,lemur,ocelot,condor,osprey,pike,carp,sturgeon,perch,bream"
).split(",")
PLANTS = (
    "fern,basil,orchid,cactus,ivy,lavender,thyme,sage,begonia,azalea,fuchsia,jasmine,mint,peony,aloe,"
    "hyacinth,lilac,yarrow,tansy"
).split(",")
JOBS = "welder,clerk,driver,cook,nurse,mechanic,engineer,translator,librarian,plumber,tailor,guard".split(",")
SUBJECTS = "algebra,history,biology,drawing,music,chemistry,geography,Latin,physics,sport".split(",")
LANGUAGES = "Danish,Basque,Welsh,Turkish,Estonian,Maltese,Swahili,Catalan,Slovak,Breton".split(",")
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MONTHS = (
    "January February March April May June July August September October November December".split()
)
SKIES = (
    "sunny,clear sky,cloudy,overcast,light rain,rain,heavy rain,drizzle,snow,light snow,fog,thunderstorm,"
    "partly cloudy,hail,sleet,windy and dry"
).split(",")
WET = ("rain", "drizzle", "thunderstorm", "sleet", "hail")

# Rules of invented houses: topic | question | how it is searched | the sentence that tells it | unit
# {n} is a number; {o} the house.
HOUSES = (
    "the Alderley library,the swimming hall,the music school,the allotment club,the rowing club,the town "
    "archive,the youth hostel,the co-op bakery,the dance studio,the observatory,the sailing school,the "
    "climbing gym,the repair workshop,the campsite,the riding stable,the choir,the theatre,the tram museum,"
    "the nursery school,the vet clinic,the chess club,the ferry line,the print shop,the botanical garden"
).split(",")
RULES = """
loan period|For how many days may a member of {o} keep a book|loan period books|Members may keep a book for {n} days.|days|7|60
late fee|What does {o} charge for each late day|late fee per day|Each late day costs {n} cents.|cents|5|90
lockers|How many lockers does {o} have|number of lockers|There are {n} lockers in the hall.|lockers|12|400
group size|How large may a group at {o} be|group size maximum|A group may have up to {n} people.|people|5|60
minimum age|From which age may children come alone to {o}|minimum age children|Children may come alone from the age of {n}.|years|6|16
deposit|How high is the deposit for a key at {o}|key deposit|The deposit for a key is {n} euros.|euros|5|80
quiet hours|For how many hours is it quiet at {o} each night|quiet hours night|Quiet hours last {n} hours each night.|hours|5|10
booking ahead|How many weeks ahead can one book at {o}|booking in advance weeks|Bookings are open {n} weeks ahead.|weeks|2|30
cancellation|Until how many days before can one cancel at {o}|cancellation deadline|You can cancel free of charge until {n} days before.|days|1|21
membership fee|What does a year of membership at {o} cost|membership fee yearly|Membership costs {n} euros a year.|euros|15|240
parking|How long may guests park at {o}|parking time guests|Guests may park for {n} hours.|hours|1|12
dogs|How many dogs may a guest of {o} bring|dogs allowed guests|A guest may bring {n} dogs on a lead.|dogs|1|3
lesson length|How long is a lesson at {o}|lesson length|A lesson lasts {n} minutes.|minutes|20|90
trial lessons|How many trial lessons does {o} give|trial lessons|New pupils get {n} trial lessons.|lessons|1|6
helpers|How many hours must each member of {o} help|helping hours duty members|Each member helps {n} hours a year.|hours|4|40
printing|How many pages can one print free at {o}|free printing pages|{n} pages a week are free.|pages|5|100
photo permit|What does a photo permit at {o} cost|photo permit price|A photo permit costs {n} euros.|euros|2|30
storage|How many weeks does {o} keep lost things|lost property weeks|Lost things are kept for {n} weeks.|weeks|2|26
break|How long is the break at {o}|break length|The break lasts {n} minutes.|minutes|10|45
water|How warm is the water at {o}|water temperature|The water is kept at {n} degrees.|degrees|18|34
speed|How fast may one drive on the grounds of {o}|speed limit grounds|The speed limit on the grounds is {n} km/h.|km/h|5|30
first aid|How many first-aid boxes does {o} have|first aid boxes|There are {n} first-aid boxes.|boxes|2|30
newsletter|How many times a year does the newsletter of {o} come out|newsletter how often|The newsletter comes out {n} times a year.|times|2|12
seats|How many people does the hall of {o} seat|hall seats|The hall seats {n} people.|people|40|900
probation|How many months does the trial time of staff at {o} last|trial time staff months|New staff have a trial time of {n} months.|months|1|9
uniform|How many uniforms does each worker at {o} get|uniforms per worker|Each worker gets {n} uniforms.|uniforms|1|5
tools|How many tools may be borrowed at once at {o}|borrow tools limit|Up to {n} tools may be borrowed at once.|tools|1|9
feeding|How many times a day are the animals at {o} fed|feeding times animals|The animals are fed {n} times a day.|times|1|5
discount|What discount do pensioners get at {o}|pensioner discount|Pensioners get {n} percent off.|percent|5|50
sauna|Until which hour is the sauna of {o} hot|sauna hours evening|The sauna is hot until {n} in the evening.|o'clock|6|11
bread|How many loaves may one order at {o}|loaves order limit|One order may hold {n} loaves.|loaves|2|40
ladder|How high may one climb without a rope at {o}|climb without rope height|Without a rope one may climb {n} metres high.|m|2|5
boat hire|What does an hour in a boat of {o} cost|boat hire price hour|An hour in a boat costs {n} euros.|euros|6|48
life jackets|How many life jackets are there at {o}|life jackets number|{n} life jackets hang in the shed.|jackets|8|120
reading room|How many people fit in the reading room of {o}|reading room places|The reading room has places for {n} readers.|readers|8|90
copies of keys|How many keys may a tenant of {o} hold|keys per tenant|Each tenant may hold {n} keys.|keys|1|5
compost|How many bags of compost does a member of {o} get|compost bags member|A member gets {n} bags of compost each spring.|bags|1|20
plot size|How large is a plot at {o}|plot size garden|A plot measures {n} square metres.|square metres|40|400
rehearsal|How many times a week does {o} rehearse|rehearsals per week|There are {n} rehearsals a week.|rehearsals|1|5
audition|How many minutes does an audition at {o} take|audition length|An audition takes {n} minutes.|minutes|5|30
costumes|How long may a costume of {o} be borrowed|costume borrowing time|A costume may be borrowed for {n} days.|days|2|21
interval|How many intervals does a play at {o} have|intervals in a play|Each play has {n} intervals.|intervals|1|3
balcony|What does a seat on the balcony of {o} cost|balcony seat price|A seat on the balcony costs {n} euros.|euros|9|90
night bell|After how many rings does the porter of {o} come|porter rings bell|The porter comes after {n} rings.|rings|1|6
sheets|What do bed sheets at {o} cost|bed sheets price|Bed sheets are {n} euros a stay.|euros|2|12
breakfast|From what hour is breakfast served at {o}|breakfast hour|Breakfast is served from {n} in the morning.|o'clock|6|9
caravan|How long may a caravan at {o} be|caravan length limit|Caravans may be {n} metres long.|m|5|12
fireplaces|How many fireplaces does {o} have|fireplaces|{n} fireplaces are open to all.|fireplaces|2|20
helmet size|How much does a helmet at {o} cost to borrow|helmet borrowing price|To borrow a helmet costs {n} euros.|euros|1|9
horse care|How many hours a week does a rider of {o} groom|grooming hours rider|A rider grooms {n} hours a week.|hours|1|9
telescope|How many guests may use the telescope of {o} in a night|telescope guests night|{n} guests a night may use the telescope.|guests|3|30
vaccine|How many weeks lie between two shots at {o}|weeks between shots|Between two shots lie {n} weeks.|weeks|2|8
chess clock|How many minutes has each player at {o}|minutes per player clock|Each player has {n} minutes on the clock.|minutes|3|120
ferry bicycles|What does a bicycle on {o} cost|bicycle fare|A bicycle travels for {n} euros.|euros|1|12
cargo|How many kilos of luggage may one take on {o}|luggage weight limit|Each traveller may bring {n} kilos of luggage.|kilos|10|50
paper|How many days does a poster at {o} need|poster printing days|A poster is ready after {n} days.|days|1|9
seed swap|How many packets may one swap at {o}|seed swap packets|Everyone may swap {n} packets.|packets|2|25
guided walk|How many guided walks a month does {o} offer|guided walks month|There are {n} guided walks a month.|walks|1|12
archive boxes|How many boxes may one see in a day at {o}|boxes per day archive|Up to {n} boxes a day are brought to the table.|boxes|2|15
gloves|How many pairs of gloves does {o} keep|pairs of gloves|{n} pairs of gloves lie ready.|pairs|5|90
sick leave|After how many days must staff of {o} send a note when ill|ill note days staff|A note from the doctor is due after {n} days.|days|1|5
overtime|How many hours of overtime may staff of {o} carry over|overtime carry over|{n} hours of overtime may be carried over.|hours|10|90
training|How many courses a year does staff of {o} attend|courses staff year|Each worker attends {n} courses a year.|courses|1|6
phone costs|How much does {o} pay towards a phone|phone allowance|The house pays {n} euros a month towards a phone.|euros|5|40
wifi|How fast is the wireless net of {o}|wireless speed|The wireless net reaches {n} megabits.|megabits|20|900
alarm|After how many minutes does the alarm of {o} call the guard|alarm guard minutes|The alarm calls the guard after {n} minutes.|minutes|1|9
fire drill|How many fire drills a year are held at {o}|fire drills year|{n} fire drills are held each year.|drills|1|6
donation|How much was given to {o} last year|donations last year|Gifts came to {n} euros last year.|euros|300|9000
founding|In which year was {o} opened|opened year history|The house was opened in {n}.||1820|2015
caretaker|Who looks after the building of {o}|building caretaker|{n} looks after the building.|PERSON|0|0
chair|Who leads the board of {o}|board leader|The board is led by {n}.|PERSON|0|0
treasurer|Who keeps the money of {o}|treasurer money|{n} keeps the money.|PERSON|0|0
complaints|To whom does one complain at {o}|complaints person|Complaints go to {n}.|PERSON|0|0
closing day|On which weekday is {o} shut|shut weekday|The house is shut on {n}.|DAY|0|0
bins|On which day are the bins of {o} emptied|bins emptied day|The bins are emptied on {n}.|DAY|0|0
summer break|In which month is {o} closed|closed month summer|The whole of {n} is free.|MONTH|0|0
twin|With which town is {o} twinned|twin town|The twin town is {n}.|PLACE|0|0
branch|In which town is the second house of {o}|second house town|A second house stands in {n}.|PLACE|0|0
key colour|Which colour do the keys of {o} have|key colour|Keys for the yard are {n}.|red,green,yellow,violet,orange,white|0|0
meeting point|Where does one meet when there is a fire at {o}|fire meeting point|In a fire all meet {n}.|at the oak,by the gate,on the lawn,behind the shed,at the fountain|0|0
dress|What does one wear on the floor of {o}|wear floor clothes|On the floor one wears {n}.|felt slippers,clean boots,white socks,rubber soles|0|0
payment|How does one pay at {o}|ways to pay|One pays {n}.|by card only,in cash only,by bank transfer,with tokens|0|0
school classes|What does a school class pay at {o}|school class price|A school class pays {n} euros.|euros|20|150
"""
FILLER = """
{o} opens at 9 in the morning and closes at 18.|Please ring the bell at the side door.
Shoes are left in the hall.|Food and drink stay outside.|The office answers letters within a week.
Keys are handed out at the front desk.|Cards are shown without being asked.|Fire doors stay shut.
A list hangs beside the stairs.|Questions go to the office.|Prams may stand in the yard.
The lift is for heavy loads only.|Lamps are switched off in the evening.|Windows are closed at night.
"""

# No tool is needed: (what a person says, what to answer)
CHAT = """
Hi, how are you doing?|I am fine, thank you. What would you like to know?
Good evening to you.|Good evening! What can I do for you?
Thank you, that was useful.|You are welcome.
Thanks a lot for your help!|You are welcome.
That is all for today, bye.|Goodbye!
See you tomorrow.|See you tomorrow!
What is your name?|I am an assistant that answers questions with tools.
What are you able to do?|I can answer questions and use the tools that I was given.
Are you a human?|No, I am a computer program.
Please write one line that wishes a colleague a good trip.|Have a wonderful trip and come back safely!
Write a birthday wish for my aunt.|Happy birthday, dear aunt! I wish you a lovely year.
Make up a short sentence about a cat.|The cat sleeps in the warm sun.
Give me a rhyme on the word house.|A word that rhymes with house is mouse.
Say something nice about rain.|Rain makes the garden green.
Tell me a very short joke.|Why did the book go to the doctor? It had a broken spine.
What is the opposite of tall?|The opposite of tall is short.
What is the opposite of early?|The opposite of early is late.
Which comes after Tuesday?|Wednesday comes after Tuesday.
What colour do you get from blue and yellow?|Blue and yellow give green.
Is snow black or white?|Snow is white.
Name a fruit that is yellow.|A banana is yellow.
Name an animal that can fly.|A bird can fly.
What do bees make?|Bees make honey.
Do fish live in water?|Yes, fish live in water.
Which is bigger, a mouse or an elephant?|An elephant is bigger than a mouse.
What do we wear on our feet?|We wear shoes on our feet.
Complete the saying: the early bird catches ...|The early bird catches the worm.
Put this in capital letters: welcome|WELCOME
How do you spell the word yellow?|The word is spelled y-e-l-l-o-w.
Please repeat the word lantern.|lantern
Sort these words by the alphabet: pear, apple, fig|apple, fig, pear
Make this polite: give me the salt|Could you please give me the salt?
What is the past tense of go?|The past tense of go is went.
What is the plural of child?|The plural of child is children.
Use the word bridge in a sentence.|We walked over the old bridge.
I feel tired today.|I am sorry to hear that. I hope that you can rest soon.
I passed my exam!|Congratulations! Well done.
My dog is ill.|I am sorry. I hope that it gets well soon.
It was nice talking to you.|It was nice talking to you too.
Please say yes.|Yes.
Say good night.|Good night!
What is a ladder used for?|A ladder is used to climb up.
Which season comes after winter?|Spring comes after winter.
What is the first letter of the alphabet?|The first letter is A.
How do you greet someone in French?|In French one says bonjour.
Give me a word that begins with k.|A word that begins with k is key.
Why do people sleep?|People sleep to rest and to recover.
Can penguins fly?|No, penguins cannot fly.
What do you call a baby cat?|A baby cat is called a kitten.
Write a short poem of two lines about the sea.|The sea is wide and blue, it sings a song for you.
Suggest a title for a story about a lost key.|A good title is The Key Under the Stone.
Please correct: she go to school|She goes to school.
Is the sun hot?|Yes, the sun is very hot.
Wish me luck!|Good luck!
Ok, understood.|Good. Is there anything else?
Could you help me later?|Yes, of course. Just ask.
Sorry, wrong window.|No problem.
What should I say to a new neighbour?|You could say: Welcome, it is nice to meet you.
Invent a name for a small boat.|A good name for a small boat is Little Gull.
How do you feel today?|I am a program, so I have no feelings, but I am ready to help.
"""


TOWNS = (
    "Graz,Ghent,Bruges,Utrecht,Delft,Aarhus,Odense,Malmo,Uppsala,Tampere,Turku,Vilnius,Kaunas,Tallinn,Tartu,"
    "Lodz,Poznan,Gdansk,Brno,Kosice,Pecs,Szeged,Varna,Plovdiv,Skopje,Tirana,Split,Zadar,Ljubljana,Trieste,"
    "Bologna,Parma,Bari,Palermo,Catania,Toulouse,Nantes,Lille,Dijon,Bilbao,Malaga,Granada,Murcia,Braga,Coimbra,"
    "Limerick,Galway,Leeds,Bristol,Exeter,Dundee,Inverness,Cardiff,Swansea,Leipzig,Dresden,Bremen,Kassel,Mainz,"
    "Basel,Bern,Lucerne,Linz,Salzburg,Izmir,Bursa,Antalya,Tunis,Oran,Fez,Dakar,Kumasi,Kampala,Lusaka,Harare,"
    "Maputo,Windhoek,Durban,Muscat,Doha,Amman,Tbilisi,Yerevan,Baku,Tashkent,Almaty,Lahore,Pune,Jaipur,Chennai,"
    "Colombo,Yangon,Penang,Surabaya,Cebu,Taipei,Busan,Kyoto,Sapporo,Hobart,Darwin,Cairns,Suva,Calgary,Halifax,"
    "Quebec,Ottawa,Portland,Austin,Tucson,Omaha,Memphis,Nashville,Merida,Quito,Cusco,La Paz,Cordoba,Rosario,"
    "Recife,Salvador,Montevideo,Asuncion"
).split(",")


def place(rng: random.Random) -> str:
    """A place name, mostly invented."""
    if rng.random() < 0.2:
        return rng.choice(TOWNS)
    name = rng.choice(START)
    if rng.random() < 0.4:
        name += rng.choice(MIDDLE)
    name += rng.choice(END)
    prefix = rng.random()
    if prefix < 0.08:
        return f"{rng.choice(('New', 'Upper', 'Old', 'North', 'Port', 'Saint', 'Lake'))} {name}"
    return name


def person(rng: random.Random) -> str:
    """An invented person."""
    if rng.random() < 0.12:
        return f"{rng.choice(('Ms', 'Mr', 'Dr'))} {rng.choice(LAST)}"
    return f"{rng.choice(FIRST)} {rng.choice(LAST)}"


def product(rng: random.Random) -> str:
    """An invented article of a shop."""
    name = f"{rng.choice(PRODUCT_A)} {rng.choice(PRODUCT_B)}"
    if rng.random() < 0.25:
        name = f"{place(rng)} {rng.choice(PRODUCT_B)}"
    if rng.random() < 0.2:
        name += f" {rng.choice('XTKZ')}{rng.randint(2, 900)}"
    return name


def code(rng: random.Random) -> str:
    """An invented number of an order, a ticket, a train."""
    letters = "ABCDEFGHKLMNPRSTVWXZ"
    text = rng.choice(CODES).replace("{m}", str(rng.randint(1, 99)))
    text = text.replace("{n}", str(rng.randint(10, 10 ** rng.randint(2, 6))))
    while "{L}" in text:
        text = text.replace("{L}", rng.choice(letters), 1)
    return text


def title(rng: random.Random) -> str:
    """An invented title of a book, film or song."""
    return f"{rng.choice(('The ', '', 'A '))}{rng.choice(TITLES_A)} {rng.choice(TITLES_B)}"


def thing(kind: str, rng: random.Random) -> str:
    """The name of one thing of a kind, such as a river or an order."""
    if kind in ("order", "parcel", "invoice", "account", "ticket", "sensor", "flight", "train"):
        return f"{kind} {code(rng)}" if rng.random() < 0.4 and kind != "flight" else code(rng)
    if kind in ("person", "employee", "student", "runner", "player"):
        return person(rng)
    if kind == "product":
        return "the " + product(rng)
    if kind in ("book", "film", "song", "album", "painting", "game", "course", "project", "festival"):
        return title(rng)
    if kind in ("bird", "animal", "fish", "dog", "horse"):
        return f"the {place(rng)} {rng.choice(CREATURES)}" if rng.random() < 0.4 else f"the {rng.choice(CREATURES)}"
    if kind in ("plant", "tree"):
        return f"the {rng.choice(PLANTS)}"
    if kind in ("machine", "server", "printer", "vehicle", "pump", "battery", "tank", "cable", "lamp", "app", "file", "door"):
        return f"{rng.choice((kind, place(rng).lower(), kind[0].upper()))}{rng.choice(('-', ' ', ''))}{rng.randint(1, 400)}"
    if kind in ("town", "village", "country", "language", "metal", "mineral", "liquid", "medicine", "word", "planet", "star", "element", "share", "tea", "wine", "dish", "team"):
        name = place(rng)
        return name.lower() if kind == "word" else name
    form = rng.random()
    if form < 0.2:
        return f"the {kind} {place(rng)}"
    return f"{rng.choice(('', 'the '))}{place(rng)} {kind}" if form < 0.5 else place(rng)


def asked_as(thing: str, kind: str) -> str:
    """The name of a thing as a tool wants it: without article and kind in front."""
    return thing.removeprefix("the ").removeprefix(f"{kind} ")


def rows(table: str) -> list[list[str]]:
    """The rows of one of the tables above."""
    return [line.split("|") for line in table.strip().splitlines()]


def phrases(name: str) -> list[list[str]]:
    """The rows of a file of phrases beside this one."""
    return rows((Path(__file__).parent / "phrases" / f"{name}.txt").read_text(encoding="utf-8"))

# Calculations: question | expression | thought | answer. {a} 2-999, {b} 2-99, {c} 2-30, {A} and
# {B} hundreds and thousands, {d} and {e} prices, {p} percent, {P} a person, {R} an article.
SUMS = """
What is {a}*{b}|{a}*{b}|This is a product.|{a}*{b} is {v}.
Compute {a} + {A}|{a}+{A}|This is a sum.|{a} + {A} is {v}.
Calculate {A} - {a}|{A}-{a}|This is a difference.|{A} - {a} is {v}.
{A} / {b}|{A}/{b}|This is a division.|{A} / {b} is {v}.
What does {a} times {b} make|{a}*{b}|{a} times {b}.|{a} times {b} makes {v}.
What do you get for {A} divided by {c}|{A}/{c}|{A} divided by {c}.|{A} divided by {c} is {v}.
({a}+{b})*{c}|({a}+{b})*{c}|I compute it as it stands.|({a}+{b})*{c} is {v}.
Please work out ({A}-{a})/{c}|({A}-{a})/{c}|I compute it as it stands.|({A}-{a})/{c} is {v}.
{a} plus {b} minus {c}|{a}+{b}-{c}|First plus, then minus.|{a} plus {b} minus {c} is {v}.
What is {b} squared|{b}**2|Squared means to the power of 2.|{b} squared is {v}.
What is the square of {a}|{a}**2|The square is the power of 2.|The square of {a} is {v}.
Raise {c} to the power of 3|{c}**3|To the power of 3.|{c} to the power of 3 is {v}.
What is 2 to the {c}th power|2**{c}|2 to the power of {c}.|2 to the power of {c} is {v}.
Extract the square root from {A}|sqrt({A})|I need a square root.|The square root of {A} is {v}.
How much is {p}% of {A}|{p}/100*{A}|{p} percent of {A}.|{p}% of {A} is {v}.
{p} percent of {a}, please|{p}/100*{a}|{p} percent of {a}.|{p} percent of {a} is {v}.
What remains when {A} is divided by {b}|{A}%{b}|The remainder of {A} by {b}.|The remainder is {v}.
Take {a} away from {A}|{A}-{a}|{A} minus {a}.|{A} minus {a} is {v}.
Multiply {a} by {b} and add {c}|{a}*{b}+{c}|First times, then plus.|The result is {v}.
Double {a} and then subtract {c}|2*{a}-{c}|Two times {a}, minus {c}.|The result is {v}.
A third of {A}|{A}/3|{A} divided by 3.|A third of {A} is {v}.
What is half of {A}|{A}/2|{A} divided by 2.|Half of {A} is {v}.
Add {a}, {b} and {c}|{a}+{b}+{c}|I add the three numbers.|The sum is {v}.
Sum up {a}, {b}, {c} and {A}|{a}+{b}+{c}+{A}|I add the four numbers.|The sum is {v}.
What is the total of {d}, {e} and {a}|{d}+{e}+{a}|I add the three numbers.|The total is {v}.
total: {a} {b} {c} {A} {B}|{a}+{b}+{c}+{A}+{B}|I add the five numbers.|The total is {v}.
What is the mean of {a}, {b} and {A}|({a}+{b}+{A})/3|The sum, divided by 3.|The mean is {v}.
Average of {a}, {b}, {c} and {A}|({a}+{b}+{c}+{A})/4|The sum, divided by 4.|The average is {v}.
{P} buys {c} tickets at {d} euros. What is the bill|{c}*{d}|{c} tickets times {d}.|The bill is {v} euros.
One {R} costs {d} euros. What is the price of {b}|{b}*{d}|{b} times {d}.|The price of {b} is {v} euros.
{P} had {A} stamps and gave away {a}. How many are left|{A}-{a}|{A} minus {a}.|{v} stamps are left.
There are {b} rows with {c} chairs. How many chairs are there|{b}*{c}|{b} rows times {c} chairs.|There are {v} chairs.
{A} apples are shared by {c} children. How many does each get|{A}/{c}|{A} apples divided by {c}.|Each child gets {v} apples.
A cyclist rides {b} km in {c} hours. What is the speed|{b}/{c}|Speed is way divided by time.|The speed is {v} km/h.
A bus drives {b} km/h for {c} hours. How far does it get|{b}*{c}|Way is speed times time.|It gets {v} km far.
How many minutes are {b} hours|{b}*60|{b} hours times 60 minutes.|{b} hours are {v} minutes.
How many seconds do {b} minutes have|{b}*60|{b} minutes times 60 seconds.|{b} minutes have {v} seconds.
Turn {c} days into hours|{c}*24|{c} days times 24 hours.|{c} days are {v} hours.
{c} weeks are how many days|{c}*7|{c} weeks times 7 days.|{c} weeks are {v} days.
How many months are {c} years|{c}*12|{c} years times 12 months.|{c} years are {v} months.
How many grams are {c} kilograms|{c}*1000|{c} kg times 1000.|{c} kilograms are {v} grams.
A field is {a} m long and {b} m wide. What is its area|{a}*{b}|Length times width.|The area is {v} square metres.
What is the perimeter of a yard of {a} by {b} metres|2*({a}+{b})|Twice the length plus the width.|The perimeter is {v} metres.
A box is {c} by {b} by {c} cm. What is its volume|{c}*{b}*{c}|The three sides multiplied.|The volume is {v} cubic cm.
A {R} for {A} euros is reduced by {p}%. What does it cost now|{A}*(1-{p}/100)|{A} less {p} percent.|It costs {v} euros now.
The rent of {A} euros rises by {p}%. What is the new rent|{A}*(1+{p}/100)|{A} plus {p} percent.|The new rent is {v} euros.
A meal costs {d} euros and {P} tips {p}%. How high is the tip|{d}*{p}/100|{p} percent of {d}.|The tip is {v} euros.
{P} pays {d} euros with {A} euros. How much comes back|{A}-{d}|{A} minus {d}.|{v} euros come back.
{P} saves {d} euros each week. How much is it after {b} weeks|{d}*{b}|{d} times {b} weeks.|It is {v} euros after {b} weeks.
I earn {d} per hour and work {b} hours. What is my pay|{d}*{b}|{d} times {b} hours.|Your pay is {v}.
{P} was born {b} years before 2020. In which year was that|2020-{b}|2020 minus {b}.|That was in {v}.
{P} reads {b} pages a day. How many pages in {c} days|{b}*{c}|{b} pages times {c} days.|It is {v} pages in {c} days.
How long do {A} pages last at {b} pages a day|{A}/{b}|{A} pages divided by {b}.|They last {v} days.
A tank holds {A} litres and loses {c} litres a day. How much is left after {c} days|{A}-{c}*{c}|{A} minus {c} times {c}.|{v} litres are left.
We are {c} people and the bill is {A}. What must each one pay|{A}/{c}|{A} divided by {c}.|Each one must pay {v}.
{A} euros at {c}% interest a year: what is it after 2 years|{A}*(1+{c}/100)**2|Two years of compound interest.|It is {v} euros after 2 years.
{b} degrees Celsius in Fahrenheit|{b}*9/5+32|Times 9/5, plus 32.|{b} degrees Celsius are {v} degrees Fahrenheit.
{P} bought {c} {R}s at {d} and one lamp at {e}. What was it all|{c}*{d}+{e}|{c} times {d}, plus {e}.|It was {v} in all.
The three bags weigh {b} kg, {c} kg and {a} kg. What is their weight together|{b}+{c}+{a}|I add the three weights.|Together they weigh {v} kg.
{P} walked {d} km, {e} km and {c} km. How far is that in all|{d}+{e}+{c}|I add the three ways.|It is {v} km in all.
My bills were {d}, {e} and {a} euros. What did I pay altogether|{d}+{e}+{a}|I add the three bills.|You paid {v} euros altogether.
Is {a} times {c} more than {A}|{a}*{c}|I need {a} times {c}.|{a} times {c} is {v}.
How many dozens are {A} eggs|{A}/12|{A} divided by 12.|{A} eggs are {v} dozens.
Three friends spent {d}, {e} and {b} euros. What did they spend together|{d}+{e}+{b}|I add the three amounts.|They spent {v} euros together.
{P} ran {b} minutes, then {c} minutes, then {a} minutes. How long in total|{b}+{c}+{a}|I add the three times.|It was {v} minutes in total.
A crate holds {b} bottles. How many bottles are in {c} crates|{b}*{c}|{b} bottles times {c} crates.|There are {v} bottles.
{a} pages at {c} cents each: what does that come to|{a}*{c}|{a} pages times {c} cents.|That comes to {v} cents.
Each of {b} guests eats {c} rolls. How many rolls are needed|{b}*{c}|{b} guests times {c} rolls.|{v} rolls are needed.
{A} metres of rope are cut into {c} equal parts. How long is one|{A}/{c}|{A} metres divided by {c}.|One part is {v} metres long.
The bill was {d} and {P} gave a note of {A}. What is the change|{A}-{d}|{A} minus {d}.|The change is {v}.
From {A} sheets {a} are used. How many remain|{A}-{a}|{A} minus {a}.|{v} sheets remain.
{P} has {a} coins and finds {b} more. How many is that|{a}+{b}|{a} plus {b}.|That is {v} coins.
A shelf carries {b} kg. What do {c} such shelves carry|{b}*{c}|{b} kg times {c}.|They carry {v} kg.
If {c} kg cost {d} euros, what does one kg cost|{d}/{c}|{d} euros divided by {c}.|One kg costs {v} euros.
A car needs {c} litres per 100 km. How much for {A} km|{c}*{A}/100|{c} litres times {A}, divided by 100.|It needs {v} litres.
{A} minutes in hours, please|{A}/60|{A} minutes divided by 60.|{A} minutes are {v} hours.
How many kilometres are {A} metres|{A}/1000|{A} metres divided by 1000.|{A} metres are {v} km.
Cube {c}, please|{c}**3|A cube is the power of 3.|The cube of {c} is {v}.
Take {b} to the fourth power|{b}**4|To the power of 4.|The fourth power of {b} is {v}.
The product of {a}, {b} and {c}|{a}*{b}*{c}|I multiply the three numbers.|The product is {v}.
{a} less {b}, times {c}|({a}-{b})*{c}|First minus, then times.|The result is {v}.
What percentage of {A} is {a}|{a}/{A}*100|{a} divided by {A}, times 100.|It is {v} percent.
By what factor is {A} larger than {b}|{A}/{b}|{A} divided by {b}.|The factor is {v}.
sqrt of {a} plus {b}|sqrt({a})+{b}|The root, then plus.|The result is {v}.
The sides of a triangle are {a}, {b} and {c} cm. How long is the way around|{a}+{b}+{c}|I add the three sides.|The way around is {v} cm.
A circle has a radius of {c} m. What is its area|pi*{c}**2|Pi times the radius squared.|The area is {v} square metres.
{P} sleeps {c} hours a night. How many hours in {b} nights|{c}*{b}|{c} hours times {b} nights.|That is {v} hours.
We split {d} euros among {c} people. What is one share|{d}/{c}|{d} euros divided by {c}.|One share is {v} euros.
{R}s come in packs of {c}. How many packs for {A}|{A}/{c}|{A} divided by {c}.|One needs {v} packs.
The difference between {A} and {B}|{A}-{B}|{A} minus {B}.|The difference is {v}.
"""

# A second parameter: how it is called | its values | where it stands in a question
QUALIFIERS = """
size|small,medium,large,extra large|before
colour|red,blue,black,white,green|before
material|wooden,steel,plastic,copper|before
year|YEAR|in
month|MONTH|in
season|spring,summer,autumn,winter|in
weekday|DAY|on
class|first class,second class|in
country|PLACE|in
version|1,2,3,4|in version
"""
# What people say before or behind their question.
BEFORE = """
I am planning a trip.|My sister asked me this.|Quick question.|I am writing a report.|Hi there.|Good morning.
I have a meeting soon.|Sorry to bother you.|My boss wants to know.|We had a bet.|I forgot it again.
It is for my homework.|I am new here.|One more thing.|I am standing in front of it.|My son is curious.
Hello, I have a question.|I cannot find my notes.|The customer is waiting.|Please be exact.
"""
BEHIND = """
Thanks!|It is urgent.|Please be brief.|Thank you.|I am curious.|That is all I need.|It matters to me.
"""
# Lists of numbers to add: the words before, the words behind, how the answer begins.
LISTS = """
Add up|.|The sum is
Please add|together.|The sum is
What do|make together?|Together they make
What is|in all?|In all it is
I drove|km this week. How far is that?|That is
The boxes weigh|kg. What do they weigh together?|Together they weigh
I spent|euros on books. What was the total?|The total was
Our team got|points in its games. How many points is that?|That is
We sold|tickets on the last evenings. How many were sold?|The number of tickets sold is
Sum:||The sum is
Please total these amounts:||The total is
My daily steps were|. How many steps is that altogether?|Altogether it is
The children have|marbles. How many marbles do they have all told?|All told they have
The classes have|pupils. How large is the school?|The number of pupils is
"""
