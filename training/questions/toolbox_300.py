"""Tools of the 300 development questions that training never uses, each with a small real table.

The Olympic hosts, comets, meteorites, nuclides, volcanoes, pigments, hieroglyphs, food additives,
Q codes, dive limits and tile points are facts of the world; everything else is made up.
Some tools are deliberately close to each other (`lamp_flash` and `tower_facts`), and eight have
a name that does not explain them, so that only the description helps.
"""

from typing import Literal


def _row(table: dict, key, missing: str):
    """Return (the table's own spelling, its row). Raise ValueError with `missing` otherwise."""
    for name, row in table.items():
        if str(name).lower() == str(key).strip().lower():
            return name, row
    raise ValueError(missing.format(key))


# ---------------------------------------------------------------- sky and earth

_HOSTS = {
    1912: ("Stockholm", "Sweden", 28, 102),
    1928: ("Amsterdam", "Netherlands", 46, 109),
    1952: ("Helsinki", "Finland", 69, 149),
    1964: ("Tokyo", "Japan", 93, 163),
    1972: ("Munich", "West Germany", 121, 195),
    1988: ("Seoul", "South Korea", 159, 237),
    2000: ("Sydney", "Australia", 199, 300),
}


def games_host(year: int) -> str:
    """Host city of the Summer Olympics in a year, with the number of nations and of events."""
    year, (city, country, nations, events) = _row(_HOSTS, year, "No Summer Games in {}.")
    return f"{year} Summer Olympics: {city} ({country}), {nations} nations, {events} events"


_COMETS = {
    "Halley": (75.3, 1986),
    "Encke": (3.3, 2023),
    "Tempel-Tuttle": (33.2, 1998),
    "Swift-Tuttle": (133.3, 1992),
}


def comet_card(comet: str) -> dict:
    """Years that a comet needs for one orbit, and the year of its last passage by the sun."""
    name, (period, passage) = _row(_COMETS, comet, "{} is not among the comets.")
    return {"comet": name, "orbit_years": period, "last_passage": passage}


_METEORITES = {
    "Hoba": ("Namibia", 1920, 60000),
    "Allende": ("Mexico", 1969, 2000),
    "Murchison": ("Australia", 1969, 100),
    "Sikhote-Alin": ("Russia", 1947, 23000),
}


def meteorite_log(stone: str) -> str:
    """Where and when a meteorite came to light, and its mass."""
    name, (land, year, kilos) = _row(_METEORITES, stone, "No meteorite {} in the log.")
    return f"{name} | {land} | {year} | {kilos} kg"


_NUCLIDES = {
    "C-14": ("5730 years", "beta minus"),
    "I-131": ("8.02 days", "beta minus"),
    "Co-60": ("5.27 years", "beta minus"),
    "Rn-222": ("3.82 days", "alpha"),
    "Am-241": ("432.6 years", "alpha"),
}


def half_life(nuclide: str) -> str:
    """Look up how long it takes until half of a radioactive nuclide is gone, and how it decays.

    The nuclide is written like Co-60.
    """
    name, (time, decay) = _row(_NUCLIDES, nuclide, "Nuclide {} not listed. Write it like Co-60.")
    return f"{name}: half-life {time}, {decay} decay"


_VOLCANOES = {
    "Eldfell": ("Iceland", 200, 1973),
    "Pinatubo": ("Philippines", 1486, 1991),
    "Surtsey": ("Iceland", 155, 1963),
    "Paricutin": ("Mexico", 2800, 1943),
}


def eruption_file(volcano: str) -> str:
    """Country, height above the sea and year of the famous eruption of a volcano."""
    name, (land, metres, year) = _row(_VOLCANOES, volcano, "No file on a volcano named {}.")
    return f"{name} in {land} is {metres} m high. Famous eruption: {year}."


_CAVES = {
    "Graywater Hole": (412, 6.3, 3),
    "Ottilien Shaft": (655, 2.8, 1),
    "Candlewick Cavern": (88, 11.4, 0),
}


def cave_sheet(cave: str) -> str:
    """Survey of a cave: depth, length of its passages and flooded sumps."""
    name, (depth, length, sumps) = _row(_CAVES, cave, "Cave {} has not been surveyed.")
    return f"cave={name}; depth_m={depth}; length_km={length}; sumps={sumps}"


_GLACIERS = {"Skarvbreen": (14, 9.2), "Ulvtind Ice": (31, 4.5), "Morsetter": (8, 17.6)}


def ice_retreat(glacier: str) -> str:
    """How far the tongue of a glacier drew back in the last year, and its present length."""
    name, (lost, length) = _row(_GLACIERS, glacier, "{} is not measured.")
    return f"{name}: tongue {lost} m further up than a year ago, length now {length} km"


_BOREHOLES = {"Pump Lane": (7.45, 9.1, "green"), "Sandpit West": (12.8, 11.6, "amber"),
              "Abbey Field": (3.95, 10.2, "red")}  # fmt: skip


def borehole_log(site: str) -> dict:
    """Ground water at a measuring site: metres below ground, temperature and alert colour."""
    name, (depth, degrees, alert) = _row(_BOREHOLES, site, "No borehole at {}.")
    return {"site": name, "below_ground_m": depth, "water_c": degrees, "alert": alert}


# ---------------------------------------------------------- towers, bells, music

_LIGHTS = {
    "Skerrow Point": (2, 15, 22, 1871, 34, 168),
    "Dunmarra": (1, 10, 18, 1903, 21, 97),
    "Vessel Rock": (4, 30, 26, 1848, 49, 241),
}


def lamp_flash(lighthouse: str) -> str:
    """Light signal of a lighthouse: how many flashes in how many seconds, and its range."""
    name, (flashes, seconds, miles, *_) = _row(_LIGHTS, lighthouse, "Unknown light: {}.")
    return f"{name} shows {flashes} flashes every {seconds} s, visible for {miles} nautical miles"


def tower_facts(lighthouse: str) -> str:
    """Building data of a lighthouse: year built, height of the tower and steps to the top."""
    name, (*_, year, metres, steps) = _row(_LIGHTS, lighthouse, "Unknown light: {}.")
    return f"{name}: built {year}, tower {metres} m, {steps} steps"


_BELLS = {
    "Old Gudrun": (2840, "B flat", 1764, "Sunday 9:45"),
    "Little Osyth": (310, "F sharp", 1921, "weekdays 18:05"),
    "The Brazier": (1275, "E", 1688, "Saturday 17:30"),
}


def bell_card(bell: str) -> str:
    """Weight, note and casting year of a bell of the minster."""
    name, (kilos, note, year, _) = _row(_BELLS, bell, "The minster has no bell called {}.")
    return f"{name}: {kilos} kg, note {note}, cast in {year}"


def ringing_plan(bell: str) -> str:
    """Day and time at which a bell of the minster is rung."""
    name, (*_, when) = _row(_BELLS, bell, "The minster has no bell called {}.")
    return f"{name} is rung: {when}"


_STOPS = {"Gedackt": (8, 54, "oak"), "Quintadena": (16, 61, "tin"), "Sesquialtera": (2, 108, "tin"),
          "Nachthorn": (4, 49, "lead")}  # fmt: skip


def organ_stop(stop: str) -> str:
    """Pipes of an organ stop: length in feet, how many there are, what they are made of."""
    name, (feet, pipes, made) = _row(_STOPS, stop, "This organ has no stop {}.")
    return f"{name} {feet} foot, {pipes} pipes of {made}"


_ENSEMBLES = {
    "Larkmead Brass": ("9 June", "19:15", "Corn Hall"),
    "Cantilena": ("11 June", "18:30", "St Osyth's"),
    "Thursday Strings": ("4 June", "20:00", "Old Gym"),
    "Tin Whistlers": ("11 June", "17:00", "Corn Hall"),
}


def rehearsal_slot(ensemble: str) -> dict:
    """Date, time and hall of the next rehearsal of a music group."""
    name, (day, time, hall) = _row(_ENSEMBLES, ensemble, "No group {} on the plan.")
    return {"group": name, "date": day, "time": time, "hall": hall}


_SINGERS = {
    "Ilse Vantongeren": ("alto", 2, 6),
    "Obadiah Finch": ("bass", 4, 11),
    "Tamsin Oakes": ("soprano", 1, 3),
    "Perrin Duval": ("tenor", 3, 9),
}


def singer_part(singer: str) -> str:
    """Voice of a choir member, the row to stand in and the number of the folder."""
    name, (voice, row, folder) = _row(_SINGERS, singer, "{} does not sing in this choir.")
    return f"{name} sings {voice}, row {row}, folder {folder}"


_PIANOS = {"BX-20417": ("12 March", 440, "hall"), "BX-33950": ("28 January", 442, "cellar"),
           "KW-7781": ("3 May", 441, "foyer")}  # fmt: skip


def piano_service(serial: str) -> str:
    """When a piano was last tuned, to what pitch in hertz and where it is. Needs the serial."""
    name, (day, hertz, place) = _row(_PIANOS, serial, "No piano with serial {}.")
    return f"Piano {name} ({place}): tuned on {day} to {hertz} Hz"


_CLOCKS = {"Mercator regulator": (8, 4), "Comtoise": (7, 55), "Pendeloque": (14, 20)}


def clock_care(clock: str) -> str:
    """Days between two windings of an antique clock, and the seconds it loses in a day."""
    name, (days, seconds) = _row(_CLOCKS, clock, "There is no clock {} in the collection.")
    return f"{name}: wind every {days} days, loses {seconds} s a day"


# --------------------------------------------------------------- craft and stage

_SMOKED = {
    "vendace": (80, 2, 4.80),
    "grayling": (65, 9, 6.40),
    "smelt": (90, 1, 3.20),
    "burbot": (70, 14, 7.60),
}


def smoke_oven(fish: str) -> str:
    """Smoking of a fish: temperature of the oven, hours, and price of a portion in euros."""
    name, (degrees, hours, euros) = _row(_SMOKED, fish, "{} is not smoked here.")
    return f"{name}: {degrees} °C, {hours} h, {euros:.2f} euros a portion"


_PIGMENTS = {
    "PB29": ("ultramarine blue", "I", "semi-transparent"),
    "PY35": ("cadmium yellow", "I", "opaque"),
    "PR83": ("alizarin crimson", "III", "transparent"),
    "PBk9": ("ivory black", "I", "opaque"),
}


def pigment_no(code: str) -> str:
    """Common name, lightfastness class and opacity of a paint pigment by colour index code."""
    name, (common, light, cover) = _row(_PIGMENTS, code, "Code {} is not in the colour index.")
    return f"{name}: {common}; lightfastness {light}; {cover}"


_KNOTS = {
    "bowline": (35, "a loop that does not slip"),
    "sheet bend": (45, "joining two ropes"),
    "clove hitch": (40, "tying to a post"),
    "alpine butterfly": (25, "a loop mid-rope"),
}


def knot_card(knot: str) -> str:
    """What a knot is for, and by how many percent it weakens the rope."""
    name, (loss, use) = _row(_KNOTS, knot, "No card for a knot called {}.")
    return f"{name}: for {use}; weakens the rope by {loss}%"


_LOOM = {
    "WV-118": ("Ragnhild", 14, "17 June", "11:30"),
    "WV-121": ("Teodora", 6, "5 June", "16:00"),
    "WV-126": ("Ragnhild", 22, "2 July", "9:15"),
}


def loom_order(order: str) -> str:
    """Weaving order: weaver, metres of cloth, day and time when it can be collected."""
    name, (who, metres, day, time) = _row(_LOOM, order, "Order {} does not exist.")
    return f"order {name}, weaver {who}, {metres} m, ready {day} at {time}"


_ROLES = {
    "Malvolio": (7, "L", 40),
    "Titania": (2, "S", 65),
    "Cyrano": (11, "XL", 55),
    "Lady Bracknell": (5, "M", 30),
}


def costume_rail(role: str) -> dict:
    """Rail, size and deposit in euros of the costume for a stage role."""
    name, (rail, size, deposit) = _row(_ROLES, role, "No costume for {}.")
    return {"role": name, "rail": rail, "size": size, "deposit_eur": deposit}


_PROPS = {"papier-mache ham": ("crate 14", 4), "rubber cutlass": ("crate 9", 1),
          "thunder sheet": ("crate 22", 18)}  # fmt: skip


def prop_crate(prop: str) -> str:
    """Crate in which a stage prop is kept, and its weight in kilograms."""
    name, (crate, kilos) = _row(_PROPS, prop, "The prop {} was not catalogued.")
    return f"{name} -> {crate} ({kilos} kg)"


_INKS = {"Bilberry Night": (50, 14.5, 22), "Verdigris": (30, 18.0, 9), "Kelp Brown": (80, 11.2, 15)}


def ink_facts(ink: str) -> str:
    """Bottle size in ml, price in euros and drying time in seconds of a fountain pen ink."""
    name, (size, euros, dry) = _row(_INKS, ink, "No ink {}.")
    return f"ink={name}; bottle_ml={size}; price_eur={euros:.2f}; dries_in_s={dry}"


# -------------------------------------------------------------- animals and growing

_RINGS = {
    "VH 40218": ("reed bunting", "Oystermouth", "2 October", 21),
    "VH 40377": ("sand martin", "Keld Bank", "14 June", 13),
    "DT 9056": ("tawny owl", "Hollins Wood", "30 April", 480),
}


def ring_report(ring: str) -> str:
    """Who wears a bird ring: species, place and day of ringing, weight in grams."""
    name, (bird, place, day, grams) = _row(_RINGS, ring, "Ring {} has not been reported.")
    return f"Ring {name}: {bird}, ringed at {place} on {day}, {grams} g"


_FUNGI = {
    "wood blewit": ("edible", "October to December", "pale pink"),
    "death cap": ("deadly", "August to October", "white"),
    "shaggy inkcap": ("edible when young", "May to November", "black"),
    "sulphur tuft": ("poisonous", "all year", "purple-brown"),
}


def fungus_key(fungus: str) -> dict:
    """Whether a mushroom can be eaten, its season and the colour of its spores."""
    name, (eat, season, spores) = _row(_FUNGI, fungus, "{} is missing from the key.")
    return {"fungus": name, "edibility": eat, "season": season, "spores": spores}


_TANKS = {
    "Sargasso": (18500, 7.9, 26.5),
    "Kelp Hall": (64000, 8.1, 12),
    "Axolotl": (900, 7.4, 17.5),
}


def tank_log(tank: str) -> str:
    """Litres, pH and water temperature of an aquarium tank."""
    name, (litres, ph, degrees) = _row(_TANKS, tank, "No tank called {}.")
    return f"tank {name}: {litres} l, pH {ph}, {degrees} °C"


_ANIMALS = {
    "red panda": (1.2, "bamboo", "8:30", "15:45"),
    "capybara": (3.5, "grass pellets", "9:00", "16:30"),
    "okapi": (5.8, "branches", "7:45", "14:15"),
    "fossa": (0.9, "chicken", "11:00", "19:20"),
}


def feeding_round(animal: str) -> str:
    """Food of a zoo animal, kilograms a day, first and second feeding time."""
    name, (kilos, food, first, second) = _row(_ANIMALS, animal, "The zoo keeps no {}.")
    return f"{name} | {food} | {kilos} kg a day | first {first} | second {second}"


_HORSES = {
    "Juno's Pride": (16.2, 590, "22 May", 7, "Aoife"),
    "Pepperpot": (11.1, 240, "8 June", 3, "Bram"),
    "Sir Wobble": (17.3, 715, "29 May", 12, "Aoife"),
}


def horse_card(horse: str) -> str:
    """Height in hands, weight in kilograms and next farrier visit of a horse."""
    name, (hands, kilos, farrier, *_) = _row(_HORSES, horse, "We have no horse named {}.")
    return f"{name}: {hands} hands, {kilos} kg, farrier comes on {farrier}"


def stall_rota(horse: str) -> str:
    """Number of the box in which a horse stands, and who mucks it out."""
    name, (*_, box, groom) = _row(_HORSES, horse, "We have no horse named {}.")
    return f"{name}: box {box}, mucked out by {groom}"


_PLOTS = {"Bramley": (24, 1830, "late September"), "Beurre Hardy": (17, 940, "mid September"),
          "Mirabelle": (31, 1215, "early August")}  # fmt: skip


def orchard_plot(variety: str) -> dict:
    """Fruit trees of a variety: how many, kilograms picked last year, when to pick."""
    name, (trees, kilos, when) = _row(_PLOTS, variety, "No trees of the variety {}.")
    return {"variety": name, "trees": trees, "picked_kg": kilos, "pick": when}


_WHEELS = {
    "GZ-07": ("gouda", 11.4, 26, "3 August"),
    "TZ-19": ("tomme", 1.9, 9, "21 June"),
    "BZ-02": ("blue", 2.6, 13, "12 July"),
}


def cheese_wheel(wheel: str) -> str:
    """Kind, weight, age in weeks and day of sale of a wheel in the cheese cellar."""
    name, (kind, kilos, weeks, day) = _row(_WHEELS, wheel, "There is no wheel {}.")
    return f"Wheel {name}: {kind}, {kilos} kg, {weeks} weeks old, for sale from {day}"


_VATS = {"Copper Ann": (1200, 1.012, "6 June"), "Big Odo": (2400, 1.018, "19 June"),
         "Thimbleby": (150, 1.010, "27 May")}  # fmt: skip


def vat_sheet(vat: str) -> str:
    """Litres, gravity and bottling day of a brewing vat."""
    name, (litres, gravity, day) = _row(_VATS, vat, "Vat {} is not in use.")
    return f"vat={name}; litres={litres}; gravity={gravity:.3f}; bottling={day}"


def vet_dose(drug: str, kilograms: float) -> str:
    """Single dose of an animal drug in milligrams, for the animal's weight in kilograms."""
    name, per_kilo = _row({"carprofen": 4, "meloxicam": 0.2, "fenbendazole": 50}, drug,
                          "No dose for {}.")  # fmt: skip
    return f"{name}: {per_kilo} mg per kg, so {kilograms * per_kilo:g} mg for {kilograms:g} kg"


# -------------------------------------------------------------- sport and outdoors

_CREWS = {
    "Swale Eight": (3, "10:20", "3:41"),
    "Ganders": (5, "10:35", "3:29"),
    "Weir Rats": (1, "10:20", "3:52"),
}


def regatta_card(crew: str) -> str:
    """Lane and start time of a rowing crew today, and its best time in minutes and seconds."""
    name, (lane, start, best) = _row(_CREWS, crew, "No crew {} has entered.")
    return f"{name}: lane {lane}, start {start}, best time {best} min"


_ARCHERS = {
    "Wenna Trask": (567, 21, 60),
    "Idris Coyle": (548, 26, 60),
    "Solveig Rask": (589, 30, 60),
    "Marl Osei": (502, 12, 60),
}


def archery_sheet(archer: str) -> dict:
    """Score, golds and arrows shot by an archer on the last shooting day."""
    name, (score, golds, arrows) = _row(_ARCHERS, archer, "{} did not shoot.")
    return {"archer": name, "score": score, "golds": golds, "arrows": arrows}


_ROUTES = {
    "Spider's Lunch": ("6b", 28, 11),
    "Gritty Gran": ("5c", 19, 7),
    "Vertigo Waltz": ("7a", 34, 14),
}


def climb_topo(route: str) -> str:
    """Grade, height in metres and number of bolts of a climbing route."""
    name, (grade, metres, bolts) = _row(_ROUTES, route, "Route {} is not in the topo.")
    return f"{name}: grade {grade}, {metres} m, {bolts} bolts"


_HUTS = {"Tarnhaus": {"Friday": 4, "Saturday": 0, "Sunday": 17},
         "Kolm Refuge": {"Friday": 9, "Saturday": 2, "Sunday": 23}}  # fmt: skip


def bunks_left(hut: str, night: Literal["Friday", "Saturday", "Sunday"]) -> str:
    """Free beds in a mountain hut for one night of the weekend."""
    name, nights = _row(_HUTS, hut, "No such hut: {}. Huts: Tarnhaus, Kolm Refuge.")
    return f"{name}, {night}: {nights[night]} beds free"


_DIVES = {12: 147, 16: 72, 18: 56, 20: 45, 25: 29, 30: 20, 35: 14, 40: 9}


def dive_limit(metres: int) -> str:
    """Minutes that a diver may stay at a depth without a decompression stop."""
    depth, minutes = _row(_DIVES, metres, "No limit for {} m, only for 12, 16, 18, 20 and so on.")
    return f"{depth} m: at most {minutes} minutes"


_YACHTS = {"Halcyone": (74, 1.85, "C12"), "Petit Larron": (38, 1.2, "A4"),
           "Moonraker II": (112, 2.4, "D1")}  # fmt: skip


def sail_sheet(yacht: str) -> dict:
    """Sail area in square metres, draught in metres and berth of a yacht."""
    name, (area, draught, berth) = _row(_YACHTS, yacht, "No yacht {} in this marina.")
    return {"yacht": name, "sail_m2": area, "draught_m": draught, "berth": berth}


_LOCKS = {
    "Hempstead Flight": (3.6, "8:00", "19:30", 10),
    "Drover's Lock": (2.1, "9:00", "17:00", 12),
    "Tollgate Deep": (5.9, "7:30", "21:00", 18),
}


def lock_keeper(lock: str) -> str:
    """Canal lock: rise in metres, first and last passage, radio channel of the keeper."""
    name, (rise, first, last, channel) = _row(_LOCKS, lock, "No lock {} on this canal.")
    return f"{name}: rise {rise} m, first passage {first}, last {last}, channel {channel}"


_CRANE = {5: 12.5, 10: 6.2, 15: 3.9, 20: 2.6}


def crane_chart(radius: int) -> str:
    """Tonnes that the yard crane may lift at a radius in metres (5, 10, 15 or 20)."""
    metres, tonnes = _row(_CRANE, radius, "The chart has no radius of {} m. Use 5, 10, 15 or 20.")
    return f"radius {metres} m: {tonnes} t"


_LIFTS = {"L1 rotunda": (13, 1000, "3 February"), "L4 goods": (26, 2500, "18 November"),
          "L2 clinic": (21, 1600, "9 July")}  # fmt: skip


def lift_plate(lift: str) -> str:
    """Plate of a passenger lift: persons, kilograms and the day of the next inspection."""
    name, (persons, kilos, day) = _row(_LIFTS, lift, "No {}: L1 rotunda, L4 goods, L2 clinic.")
    return f"{name}: {persons} persons or {kilos} kg, inspection on {day}"


_BLOOD = {"O-": (11, "26 May"), "AB+": (34, "2 June"), "B-": (6, "23 May"), "A+": (58, "9 June")}


def blood_fridge(group: str) -> str:
    """Units of a blood group in the fridge, and the day on which the oldest one expires."""
    name, (units, day) = _row(_BLOOD, group, "No group {}. Write it like AB+ or O-.")
    return f"group {name}: {units} units, oldest expires {day}"


# ---------------------------------------------------------------- words and games

_TILES = {letter: points for points, letters in
          {1: "aeioulnstr", 2: "dg", 3: "bcmp", 4: "fhvwy", 5: "k", 8: "jx", 10: "qz"}.items()
          for letter in letters}  # fmt: skip


def letter_points(word: str) -> str:
    """Points of a word in the English letter tile game, without bonus squares."""
    if not word.isascii() or not word.isalpha():
        raise ValueError("Give one word of English letters.")
    return f"{word.lower()}: {sum(_TILES[letter] for letter in word.lower())} points"


_DIALECT = {
    "Lowmark": {"potato": "grundel", "rain": "smirr", "butterfly": "flitterjack"},
    "Hochtal": {"potato": "erpfel", "rain": "nassel", "butterfly": "pfeifalter"},
}


def valley_speech(valley: Literal["Lowmark", "Hochtal"], word: str) -> str:
    """What an English word is called in the dialect of a valley."""
    name, said = _row(_DIALECT[valley], word, "The dialect atlas has no entry for {}.")
    return f"{name} in {valley}: {said}"


_FORGE = {"Ember Pike": (6, 14, 25), "Gloam Buckler": (9, 3, 40), "Thornhelm": (4, 7, 15)}


def forge_cost(item: str) -> str:
    """What it takes to forge an item in the game Duskhollow: ore, embers and minutes."""
    name, (ore, embers, minutes) = _row(_FORGE, item, "{} cannot be forged.")
    return f"{name}: {ore} ore, {embers} embers, {minutes} minutes"


_QUESTS = {
    "The Salted Bride": ("Mother Quill", 12, 350, "Thornhelm"),
    "Nine Drowned Oars": ("Captain Rusk", 18, 620, "Ember Pike"),
    "A Lantern for Hob": ("Hob", 5, 90, "Gloam Buckler"),
}


def quest_log(quest: str) -> dict:
    """Quest in the game Duskhollow: who gives it, its level, the gold and the item it earns."""
    name, (giver, level, gold, item) = _row(_QUESTS, quest, "No quest {} in the log.")
    return {"quest": name, "giver": giver, "level": level, "gold": gold, "item": item}


_COINS = {
    "Salzthaler": ("silver", 28.8, 41, 1693),
    "half florentin": ("gold", 1.75, 17, 1511),
    "Kreuzpfennig": ("copper", 4.1, 23, 1760),
}


def coin_file(coin: str) -> str:
    """Metal, mass in grams, diameter in millimetres and year of a historic coin."""
    name, (metal, grams, wide, year) = _row(_COINS, coin, "No file for the coin {}.")
    return f"{name} | {metal} | {grams} g | {wide} mm | {year}"


# -------------------------------------------------------- names that explain nothing

_SIGNS = {"G17": ("owl", "m"), "D21": ("mouth", "r"), "N35": ("ripple of water", "n"),
          "F4": ("forepart of a lion", "hat")}  # fmt: skip


def gx4(sign: str) -> str:
    """Egyptian hieroglyph by its code in Gardiner's list: what it shows and how it is read."""
    name, (picture, sound) = _row(_SIGNS, sign, "Code {} is not in the list.")
    return f"{name}: {picture}, read as {sound}"


_ADDITIVES = {"E330": "citric acid", "E300": "ascorbic acid", "E412": "guar gum",
              "E621": "monosodium glutamate"}  # fmt: skip


def t3x(number: str) -> str:
    """Name of the food additive behind an E number."""
    name, additive = _row(_ADDITIVES, number, "Number {} unknown. Write it like E412.")
    return f"{name} is {additive}"


_Q_CODES = {"QTH": "my location is", "QRP": "reduce power", "QSL": "I confirm receipt",
            "QRT": "stop sending"}  # fmt: skip


def opq(signal: str) -> str:
    """Meaning of a three-letter Q code in amateur radio."""
    name, meaning = _row(_Q_CODES, signal, "Signal {} has no entry.")
    return f"{name}: {meaning}"


_FOUND = {
    "F-31": ("green umbrella", "sauna", "16 May"),
    "F-36": ("child's goggles", "slide pool", "18 May"),
    "F-40": ("silver bracelet", "changing room 5", "18 May"),
}


def zk_9(ticket: str) -> dict:
    """Lost property of the swimming baths: thing, place and day it was found, by ticket."""
    name, (thing, place, day) = _row(_FOUND, ticket, "No ticket {}.")
    return {"ticket": name, "thing": thing, "found_in": place, "day": day}


_DECISIONS = {
    "D-14": ("new floodlights", 31, 12, 4),
    "D-15": ("raise the yearly fee to 96 euros", 22, 25, 0),
    "D-17": ("sell the old roller", 40, 3, 6),
}


def mm_dec(number: str) -> str:
    """Decision of the curling club's assembly by number: subject and votes."""
    name, (what, yes, against, abstained) = _row(_DECISIONS, number, "No decision {}.")
    return f"{name}: {what}; in favour {yes}, against {against}, abstained {abstained}"


_EXTINGUISHERS = {"XT-5": ("foam", 6, "June 2027"), "XT-8": ("powder", 12, "October 2026"),
                  "XT-13": ("carbon dioxide", 5, "March 2028")}  # fmt: skip


def unit_77(tag: str) -> str:
    """Fire extinguisher by its tag: filling, size in kilograms and month of the next check."""
    name, (filling, kilos, month) = _row(_EXTINGUISHERS, tag, "No tag {}.")
    return f"{name}: {filling}, {kilos} kg, next check {month}"


_BAYS = {"KB-1": (58, "15 May"), "KB-2": (41, "4 May"), "KB-3": (66, "18 May")}


def k_bays(bay: str) -> str:
    """Temperature in a compost bay in degrees Celsius, and the day on which it was last turned."""
    name, (degrees, day) = _row(_BAYS, bay, "There is no bay {}. Write it like KB-1.")
    return f"{name}: {degrees} °C, turned on {day}"


_BADGES = {"Hollow Alder": ("knots and fire", 9, 6), "Night Heron": ("map and stars", 12, 8),
           "Mossback": ("first aid", 10, 5)}  # fmt: skip


def rr2(badge: str) -> str:
    """Scout badge: what it is given for, the youngest age and the number of tasks."""
    name, (subject, age, tasks) = _row(_BADGES, badge, "No badge {}.")
    return f"{name}: {subject}; from age {age}; {tasks} tasks"


# -------------------------------------------------------------------- documents

_BYLAWS = {
    "sheds": "A shed may cover up to 16 square metres. It may not be higher than 2.6 metres. "
    "Sheds with a stove need the written consent of the board.",
    "hedges": "Hedges along the paths are cut to 1.25 metres by 24 June. Between nests they are "
    "left alone until August.",
    "water": "Water is turned on from 1 April to 31 October. Hoses may be used before 10:00 and "
    "after 19:00 only. Watering cans are allowed at all hours.",
    "fires": "Bonfires are forbidden. A barbecue is allowed if it stands 3 metres from any hedge.",
    "fees": "A plot costs 118 euros a year. Whoever skips the 3 work days pays 25 euros for each "
    "day missed. Members over 70 are excused from work days.",
    "animals": "Hens are allowed, up to 5 to a plot, but no cockerels. Rabbits need a run.",
}
_LEAFLET = {
    "nights": "A night in the dormitory costs 24 euros, for members of an alpine club 14 euros. "
    "Children under 6 sleep free.",
    "meals": "Supper is served at 18:30 and costs 19 euros. Vegetarians tell the "
    "warden before 16:00.",
    "quiet": "Quiet hours are from 22:00 to 6:00. Boots stay in the boot room.",
    "payment": "The hut takes cash only. A deposit of 10 euros a person is kept when a booking is "
    "cancelled less than 3 days ahead.",
    "luggage": "The goods cableway carries rucksacks up to 30 kg for 4 euros each. It runs at 9:00 "
    "and at 15:30.",
    "dogs": "Dogs sleep in the winter room only, and only if the warden was asked by phone.",
}


_SMALL = {"a", "an", "the", "i", "it", "is", "are", "for", "of", "to", "in", "and", "may", ""}


def _pages(pages: dict, words: str, missing: str) -> str:
    """Return the page that shares most words with `words`: a heading counts twice."""
    asked = {word.strip(".,?!").lower().rstrip("s") for word in words.split()}

    def score(heading: str) -> int:
        text = {word.strip(".,").lower().rstrip("s") for word in pages[heading].split()}
        return len((asked - _SMALL) & text) + 2 * (heading.rstrip("s") in asked)

    best = max(pages, key=score)
    return f"{best}: {pages[best]}" if score(best) else missing.format(words)


def allotment_bylaws(keywords: str) -> str:
    """Search the bylaws of the Quincewood allotment gardens by keywords."""
    return _pages(_BYLAWS, keywords, "The bylaws have nothing on {!r}.")


def hut_leaflet(topic: str) -> str:
    """Search the leaflet of the mountain huts: prices, meals, rules of the house."""
    return _pages(_LEAFLET, topic, "Nothing about {!r} in the leaflet.")


#: function -> an example of its arguments, not used by any question
TOOLS = {
    games_host: {"year": 1936},
    comet_card: {"comet": "Biela"},
    meteorite_log: {"stone": "Ensisheim"},
    half_life: {"nuclide": "Sr-90"},
    eruption_file: {"volcano": "Hekla"},
    cave_sheet: {"cave": "Bonewell"},
    ice_retreat: {"glacier": "Fannaraki"},
    borehole_log: {"site": "Mill Green"},
    lamp_flash: {"lighthouse": "Cape Orr"},
    tower_facts: {"lighthouse": "Cape Orr"},
    bell_card: {"bell": "Big Agnes"},
    ringing_plan: {"bell": "Big Agnes"},
    organ_stop: {"stop": "Salicional"},
    rehearsal_slot: {"ensemble": "Dulcimer Club"},
    singer_part: {"singer": "Ottoline Hay"},
    piano_service: {"serial": "BX-10002"},
    clock_care: {"clock": "Lyre clock"},
    smoke_oven: {"fish": "bream"},
    pigment_no: {"code": "PW6"},
    knot_card: {"knot": "figure eight"},
    loom_order: {"order": "WV-090"},
    costume_rail: {"role": "Puck"},
    prop_crate: {"prop": "wind machine"},
    ink_facts: {"ink": "Oxblood"},
    ring_report: {"ring": "DT 1120"},
    fungus_key: {"fungus": "penny bun"},
    tank_log: {"tank": "Jellyfish"},
    feeding_round: {"animal": "meerkat"},
    horse_card: {"horse": "Nutmeg"},
    stall_rota: {"horse": "Nutmeg"},
    orchard_plot: {"variety": "Williams"},
    cheese_wheel: {"wheel": "C-44"},
    vat_sheet: {"vat": "Old Nell"},
    vet_dose: {"drug": "ivermectin", "kilograms": 12},
    regatta_card: {"crew": "Otterside Four"},
    archery_sheet: {"archer": "Piers Lund"},
    climb_topo: {"route": "Ant Road"},
    bunks_left: {"hut": "Seehorn Cabin", "night": "Sunday"},
    dive_limit: {"metres": 22},
    sail_sheet: {"yacht": "Bluebottle"},
    lock_keeper: {"lock": "Twin Gates"},
    crane_chart: {"radius": 25},
    lift_plate: {"lift": "L9 annex"},
    blood_fridge: {"group": "A-"},
    letter_points: {"word": "lemon"},
    valley_speech: {"valley": "Lowmark", "word": "apple"},
    forge_cost: {"item": "Rust Mace"},
    quest_log: {"quest": "The Cold Kettle"},
    coin_file: {"coin": "gros tournois"},
    gx4: {"sign": "A1"},
    t3x: {"number": "E100"},
    opq: {"signal": "QRM"},
    zk_9: {"ticket": "F-02"},
    mm_dec: {"number": "D-03"},
    unit_77: {"tag": "XT-1"},
    k_bays: {"bay": "KB-9"},
    rr2: {"badge": "Grey Otter"},
    allotment_bylaws: {"keywords": "lawn mower"},
    hut_leaflet: {"topic": "blankets"},
}
